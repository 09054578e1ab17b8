import { writeFileSync } from 'node:fs';
import { startCannedDynamodb } from './canned-dynamodb.ts';
import { createLocalhostCertificate } from './certificate.ts';
import { startReceiver } from './receiver.ts';

// The server runs in its own process, so that its CPU time and memory are not measured.
const [certificateFile = ''] = process.argv.slice(2);
const certificate = await createLocalhostCertificate();
writeFileSync(certificateFile, certificate.cert);
const { endpoint } = await startCannedDynamodb(certificate);
const receiverUrl = await startReceiver();
process.send?.({ endpoint, receiverUrl });
process.on('disconnect', () => process.exit());
