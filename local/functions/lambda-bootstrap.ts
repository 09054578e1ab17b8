/**
 * With what the script that starts Lambda's Node, `/var/runtime/bootstrap`, calls it. These are
 * parameters of the command line, which win over the same options in a function's `NODE_OPTIONS`.
 *
 * Read in the public base image of nodejs18.x. Those of later versions were not at hand, but AWS's
 * runtime interface client 4 expects the same options on its own command line.
 *
 * @see https://gallery.ecr.aws/lambda/nodejs
 */
export interface NodeHeapLimits {
  readonly oldSpaceMb: number;
  readonly semiSpaceMb: number;
}

/** How much of a function's memory Node may fill with JavaScript objects: a tenth of it with young ones. */
export function nodeHeapLimits(memorySizeMb: number): NodeHeapLimits {
  const newSpaceMb = Math.floor(memorySizeMb / 10);
  return { oldSpaceMb: memorySizeMb - newSpaceMb, semiSpaceMb: Math.floor(newSpaceMb / 2) };
}

/** The headers of an HTTP message that a function reads may be this long together. */
export const maxHttpHeaderBytes = 81_920;
