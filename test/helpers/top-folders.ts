import { readdirSync } from 'node:fs';

/** What is not in the repository, as `.gitignore` says. */
const ignored = /^(\.|node_modules$|cdk\.out$|coverage$|reference-)/;

/** The folders at the top of the repository, but for hidden ones. */
export const topFolders = readdirSync('.', { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !ignored.test(entry.name))
  .map(({ name }) => name);
