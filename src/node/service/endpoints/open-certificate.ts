import { Certificate, type CertificateFiles } from "../../../platform/http/certificate.ts";
import type { Logger } from "../../../platform/telemetry/logger.ts";

/**
 * Reads a certificate for HTTP and WebSocket, and logs when it was renewed or could not be.
 * @throws CertificateError that names the file which cannot be used
 */
export function openCertificate(files: CertificateFiles, logger: Logger): Certificate {
  const certificate = new Certificate(files, {
    renewed: () => logger.info("the renewed certificate is in use", { file: files.cert }),
    refused: (error) =>
      logger.error("the new certificate cannot be used; the old one stays in use", { error }),
  });
  if (certificate.isKeyOpen)
    logger.warn("others may read the key of the certificate", {
      file: files.key,
      remedy: `chmod 600 ${files.key}`,
    });
  return certificate;
}
