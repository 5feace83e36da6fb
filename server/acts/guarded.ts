/** The rows that may need a second person, as the proposals know them. A proposal stores the values of the row's input. */
import { rotateSecret } from './callbacks.ts'
import { issue, set } from './tokens.ts'

export const GUARDED_ROWS = {
  'callback rotate-secret': { ...rotateSecret, ...rotateSecret.secondPerson },
  'token issue': { ...issue, ...issue.secondPerson },
  'token set': { ...set, ...set.secondPerson },
}
