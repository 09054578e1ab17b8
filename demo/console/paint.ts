import { styleText } from 'node:util';

type Format = Parameters<typeof styleText>[0];

/** Gives a text a colour, or leaves it as it is. */
export type Paint = (format: Format, text: string) => string;

/** Colours where a stream is a terminal and `NO_COLOR` does not forbid them. */
export function paintFor(stream: NodeJS.WriteStream): Paint {
  return (format, text) => styleText(format, text, { stream });
}
