/** The rows that may need a second person, as the proposals know them. A proposal stores the values of the row's input. */
import { retire } from './accounts.ts'
import { rotateSecret, set as setCallback } from './callbacks.ts'
import { confirm, resolve, resolveMoney, returned } from './decisions.ts'
import { capture, refund, release } from './payments.ts'
import { issue, set as setToken } from './tokens.ts'

export const GUARDED_ROWS = {
  'account retire': { ...retire, ...retire.secondPerson, isBound: true },
  'callback set': { ...setCallback, ...setCallback.secondPerson, isBound: true },
  'callback rotate-secret': { ...rotateSecret, ...rotateSecret.secondPerson, isBound: true },
  'token issue': { ...issue, ...issue.secondPerson, isBound: true },
  'token set': { ...setToken, ...setToken.secondPerson, isBound: true },
  'payment confirm': { ...confirm, ...confirm.secondPerson },
  'payment returned': { ...returned, ...returned.secondPerson },
  'payment resolve': { ...resolve, ...resolve.secondPerson },
  'operation resolve': { ...resolveMoney, ...resolveMoney.secondPerson },
  'payment refund': { ...refund, ...refund.secondPerson, isBound: true },
  'payment capture': { ...capture, ...capture.secondPerson, isBound: true },
  'payment void': { ...release, ...release.secondPerson, isBound: true },
}
