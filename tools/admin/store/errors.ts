import { OperatorError } from '../../shared/errors.ts';
import type { StoredKey } from './keys.ts';
import type { OwnerDetails } from './stored-owner.ts';

/** The codes of this folder's errors, each with what its error is about. */
export interface StoreErrors {
  /** There is no owner with this id or name. */
  ownerNotFound: string;
  /** Another owner has the name. */
  nameTaken: OwnerDetails;
  /** The owner, if there is one with the owner's part of the key id, has no key with this id. */
  keyNotFound: OwnerDetails | undefined;
  /** An owner has as many keys as it may have. */
  tooManyKeys: OwnerDetails;
  /** A key is expired or revoked, so it cannot be changed. */
  keyEnded: StoredKey;
  /** A new key may have been stored, but the response was lost. Nobody has received its token. */
  keyUnconfirmed: StoredKey;
  /** Somebody has written an API key on a command line. The message does not repeat it. */
  tokenGiven: undefined;
}

type Code = keyof StoreErrors;

/** An error of this folder. The folder knows no commands, so console/advice.ts says what an operator can do. */
export class StoreError<C extends Code = Code> extends OperatorError {
  override readonly code: C;
  readonly about: StoreErrors[C];

  constructor(code: C, problem: string, about: StoreErrors[C], cause?: unknown) {
    super(problem, { cause });
    this.code = code;
    this.about = about;
  }
}
