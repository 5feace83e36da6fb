/**
 * Requests to the gateway: forms, which carry the login, and answers in JSON. Every refusal comes with HTTP 200.
 * Rule: only a code of the gateway is a refusal. A page in HTML, an empty body or another status leaves the outcome unknown.
 */
import { AccountRefusedError, RetryLaterError, UnreadableError } from '../driver/refusal.ts'
import type { ProviderCall } from '../driver.ts'
import type { ProviderRequest } from '../http.ts'
import type { RbsSettings } from './settings.ts'

export type RbsCall = ProviderCall<RbsSettings>

export type Method =
  | 'register.do'
  | 'registerPreAuth.do'
  | 'getOrderStatusExtended.do'
  | 'deposit.do'
  | 'reverse.do'
  | 'refund.do'
  | 'decline.do'
  | 'paymentOrderBinding.do'
  | 'getBindings.do'
  | 'unBindCard.do'

const READS: readonly Method[] = ['getOrderStatusExtended.do', 'getBindings.do']
/** The methods of the second login. */
const OF_BINDINGS: readonly Method[] = ['paymentOrderBinding.do', 'getBindings.do', 'unBindCard.do']

/** The codes of the gateway. `denied`: a wrong login or value, a missing right, or a password that has to be changed. */
export const CODES = {
  done: 0,
  numberUsed: 1,
  notFound: 2,
  currency: 3,
  missing: 4,
  denied: 5,
  noOrder: 6,
  system: 7,
} as const

/** After these codes of a write the bank has done nothing. Codes 2 and 7 may also say that it has begun. */
const REFUSING: readonly number[] = [
  CODES.numberUsed,
  CODES.currency,
  CODES.missing,
  CODES.denied,
  CODES.noOrder,
]

export type Body = Record<string, unknown>
export type RbsAnswer = { code: number; body: Body }

/** @throws RetryLaterError for 429; UnreadableError for what is no answer; Error for every other status */
export async function askRbs(
  call: RbsCall,
  method: Method,
  fields: Record<string, string>,
  marks: Pick<ProviderRequest, 'movesNoMoney'> = {},
): Promise<RbsAnswer> {
  const { ADDRESS: address, ...settings } = call.settings
  const isOfBindings = OF_BINDINGS.includes(method) && settings.BINDING_USERNAME !== undefined
  const login = {
    userName: (isOfBindings ? settings.BINDING_USERNAME : settings.USERNAME) ?? '',
    password: (isOfBindings ? settings.BINDING_PASSWORD : settings.PASSWORD) ?? '',
  }
  const { status, text, headers } = await call.http.request({
    method: 'POST',
    url: `${address}${method}`,
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    body: new URLSearchParams({ ...login, ...fields }).toString(),
    isRead: READS.includes(method),
    ...marks,
  })
  if (status === 429) throw new RetryLaterError('the bank answered 429', headers)
  if (status !== 200) throw new Error(`the bank answered ${status}`)
  const body = readObject(text)
  const code = codeIn(body)
  if (REFUSING.includes(code)) call.http.noteRefused()
  return { code, body }
}

function readObject(text: string): Body {
  try {
    const body: unknown = JSON.parse(text)
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as Body
  } catch {
    // What is thrown below says the same of a page and of a cut answer.
  }
  throw new UnreadableError('the bank answered with something else than an object in JSON')
}

/**
 * Returns the code of an answer: 0 if the bank did what was asked for. The code may be absent then, and it is a number or a text of
 * digits. A number as `success` is the code of `paymentOrderBinding.do`. Of every other `success` nobody knows what it means.
 */
function codeIn({ errorCode, ErrorCode, error, success }: Body): number {
  const nested = typeof error === 'object' && error !== null ? (error as Body).code : undefined
  const code = asCode(errorCode ?? ErrorCode ?? nested)
  const ofCharge = success === undefined || success === null ? null : success
  if (typeof ofCharge === 'number') return code === CODES.done ? asCode(ofCharge) : code
  const isContradiction = code === CODES.done && (error === true || ofCharge === false)
  if (isContradiction) throw new UnreadableError('the bank says that it did it and that it did not')
  return code
}

function asCode(value: unknown): number {
  if (value === undefined || value === null) return CODES.done
  if ((typeof value === 'number' || typeof value === 'string') && /^\d{1,6}$/.test(String(value)))
    return Number(value)
  throw new UnreadableError('the bank answered with a code that is no number')
}

/**
 * After code 5 of a write: asks about an order that nobody has. The same code means that the login itself is refused.
 * @throws AccountRefusedError if it is
 */
export async function expectLogin(call: RbsCall): Promise<void> {
  const { code } = await askRbs(call, 'getOrderStatusExtended.do', { orderNumber: NOBODYS_ORDER })
  if (code === CODES.denied) throw new LoginRefusedError()
}

/** An order number that no payment has. */
export const NOBODYS_ORDER = 'kassa-login'

export class LoginRefusedError extends AccountRefusedError {
  constructor() {
    super(
      'credentials',
      'The bank answers with code 5: the login or its password is wrong, the login is blocked, or the password has to be changed at the bank first.',
    )
  }
}
