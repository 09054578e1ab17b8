/**
 * The heap limits with which Lambda's script `/var/runtime/bootstrap` starts Node. As parameters of
 * the command line they have precedence over the same options in a function's `NODE_OPTIONS`.
 *
 * They were read in the public base image of nodejs18.x. Those of later versions have not been
 * checked, but AWS's runtime interface client 4 expects the same options on its own command line.
 *
 * @see https://gallery.ecr.aws/lambda/nodejs
 */
interface NodeHeapLimits {
  readonly oldSpaceMb: number;
  readonly semiSpaceMb: number;
}

/** The heap limits for a function's memory size: one tenth is for the young generation. */
export function nodeHeapLimits(memorySizeMb: number): NodeHeapLimits {
  const newSpaceMb = Math.floor(memorySizeMb / 10);
  return { oldSpaceMb: memorySizeMb - newSpaceMb, semiSpaceMb: Math.floor(newSpaceMb / 2) };
}

/** The maximum size of all headers of an HTTP message that a function reads. */
export const maxHttpHeaderBytes = 81_920;
