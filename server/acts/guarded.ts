/** The rows that may need a second person, as the proposals know them. A proposal stores the values of the row's input. */
import { rotateSecret, set as setCallback } from './callbacks.ts'
import { issue, set as setToken } from './tokens.ts'

export const GUARDED_ROWS = {
  'callback set': { ...setCallback, ...setCallback.secondPerson },
  'callback rotate-secret': { ...rotateSecret, ...rotateSecret.secondPerson },
  'token issue': { ...issue, ...issue.secondPerson },
  'token set': { ...setToken, ...setToken.secondPerson },
}
