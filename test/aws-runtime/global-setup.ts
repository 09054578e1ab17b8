import synthesize from '../helpers/global-setup.ts';
import { runtimeClient } from './runtime-client.ts';

/** Builds AWS's runtime interface client, unless it is there, and synthesizes every stage. */
export default function globalSetup(): void {
  runtimeClient();
  synthesize();
}
