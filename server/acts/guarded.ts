/** The rows that may need a second person, as the proposals know them. A proposal stores the values of the row's input. */
import { rotate as rotateAccount, set as setAccount } from './rows/account-settings.ts'
import { allow, retire } from './rows/accounts.ts'
import { limit } from './rows/approvals.ts'
import { rotateSecret, set as setCallback } from './rows/callbacks.ts'
import { confirm, resolve, resolveMoney, returned } from './rows/decisions.ts'
import { capture, refund, release } from './rows/payments.ts'
import {
  add as addPerson,
  remove as removePerson,
  reset as resetPerson,
  set as setPerson,
} from './rows/people.ts'
import { removalProposed } from './rows/person-stake.ts'
import { issue, set as setToken } from './rows/tokens.ts'

export const GUARDED_ROWS = {
  'account set': { ...setAccount, ...setAccount.secondPerson, isBound: true },
  'account rotate': { ...rotateAccount, ...rotateAccount.secondPerson, isBound: true },
  'account allow': { ...allow, ...allow.secondPerson, isBound: true },
  'account retire': { ...retire, ...retire.secondPerson, isBound: true },
  'approval limit': { ...limit, ...limit.secondPerson, isBound: true },
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
  'user add': { ...addPerson, ...addPerson.secondPerson },
  'user set': { ...setPerson, ...setPerson.secondPerson },
  'user reset': { ...resetPerson, ...resetPerson.secondPerson },
  'user remove': { ...removePerson, ...removalProposed },
  'payment void': { ...release, ...release.secondPerson, isBound: true },
}
