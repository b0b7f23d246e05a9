// SPDX-License-Identifier: Apache-2.0

/// A certificate with the serial number 3, made by openssl.
enum SampleCertificate {
    /// The DER in Base64.
    static let der =
        "MIIBSTCB76ADAgECAgEDMAoGCCqGSM49BAMCMBwxCzAJBgNVBAYTAkRFMQ0wCwYDVQQDDARSb290MCAXDTIwMDEwMTAwMDAwMFoY"
        + "DzIwOTAwMTAxMDAwMDAwWjAbMQswCQYDVQQGEwJERTEMMAoGA1UEAwwDT25lMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE5xVP"
        + "yod99ou2ffNdLJhBiV7EUxLTxiBdRPgsNi1L8hBhO+K4W5NRfYIBY0/wE2sleGHPsJPKDU3GL2bokDJ18qMhMB8wHQYDVR0OBBYE"
        + "FKqhz2tH5fjghn4qxKy2uXSLg7rbMAoGCCqGSM49BAMCA0kAMEYCIQCBMR+bmepeOnnRFPLEnnJS8/6vVsulehahUi+ulJAIMgIh"
        + "ANvQBykTBuW8qv8evm+iNqpKJWQGkV70kdjX3rJrFc+O"
}
