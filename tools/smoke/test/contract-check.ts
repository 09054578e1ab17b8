import { contractDocument } from '../../../test/helpers/contract-document.ts';
import { Contract } from '../stage/contract.ts';

/** The published contract, to compare answers with. */
export const contract = new Contract(contractDocument);
