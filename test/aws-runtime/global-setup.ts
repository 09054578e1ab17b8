import synthesize from '../helpers/global-setup.ts';
import { runtimeClient } from './runtime-client.ts';

/** Builds AWS's runtime interface client, unless it is there, and synthesizes both stages. */
export default function globalSetup(): void {
  runtimeClient();
  synthesize();
}
