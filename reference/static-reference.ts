import { parse } from 'yaml';
import { pageAssets } from './page-assets.ts';
import { pageDocument } from './page-document.ts';

interface StaticReferenceOptions {
  /** The URL of the API with its version: `https://…/v1`. */
  readonly baseUrl: string;
  /** The contract as YAML. */
  readonly contract: string;
}

/** The contents of files by name, for one folder. */
export type Files = Readonly<Record<string, string>>;

/**
 * Builds the API reference of a stage as files that a web server can serve and a browser can open from
 * a disk. They contain no key. The page's content security policy ensures that it loads nothing else
 * and sends requests to the stage only.
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
