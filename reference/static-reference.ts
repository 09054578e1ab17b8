import { parse } from 'yaml';
import { pageAssets } from './page-assets.ts';
import { pageDocument } from './page-document.ts';

export interface StaticReferenceOptions {
  /** Where the API is, with its version: `https://…/v1`. */
  readonly baseUrl: string;
  /** The contract's text, YAML. */
  readonly contract: string;
}

/** Files by name; all of them go into one folder. */
export type Files = Readonly<Record<string, string>>;

/**
 * The API reference of a stage, as files that any web server can serve and a browser can also open
 * from a disk. It holds no key, and loads nothing from elsewhere; requests go to the stage alone,
 * which the page's own policy enforces.
 */
export async function staticReference({
  baseUrl,
  contract,
}: StaticReferenceOptions): Promise<Files> {
  return {
    ...(await pageAssets()),
    'index.html': pageDocument({
      contract: parse(contract),
      baseUrl,
      assets: '',
      demoKeys: [],
      examples: {},
    }),
    'openapi.yaml': contract,
  };
}
