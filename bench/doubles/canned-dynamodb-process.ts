import { writeFileSync } from 'node:fs';
import { startCannedDynamodb } from './canned-dynamodb.ts';
import { createLocalhostCertificate } from './certificate.ts';
import { startReceiver } from './receiver.ts';

// A process of its own, so that its CPU time and memory count for nobody.
const [certificateFile = ''] = process.argv.slice(2);
const certificate = await createLocalhostCertificate();
writeFileSync(certificateFile, certificate.cert);
const { endpoint } = await startCannedDynamodb(certificate);
const receiverUrl = await startReceiver();
process.send?.({ endpoint, receiverUrl });
process.on('disconnect', () => process.exit());
