/**
 * Requests to vPOS: JSON with the login in it, and answers with a code. Refusals come with HTTP 200.
 * Rule: only a code of the bank is a refusal. HTTP 500 with the bank's own message is an answer too, which says nothing: it comes for orders
 * that nobody has tried to pay, and for errors of the bank alike. Everything else leaves the outcome unknown.
 */
import { AccountRefusedError, RetryLaterError, UnreadableError } from '../driver/refusal.ts'
import type { ProviderCall } from '../driver.ts'
import type { AmeriaSettings } from './settings.ts'

export type AmeriaCall = ProviderCall<AmeriaSettings>

export type Operation =
  | 'InitPayment'
  | 'GetPaymentDetails'
  | 'GetPaymentId'
  | 'ConfirmPayment'
  | 'CancelPayment'
  | 'RefundPayment'
  | 'MakeBindingPayment'
  | 'GetBindings'
  | 'DeactivateBinding'

const READS: readonly Operation[] = ['GetPaymentDetails', 'GetPaymentId', 'GetBindings']
/** These know the account by the payment's id. */
const WITHOUT_CLIENT: readonly Operation[] = [
  'GetPaymentDetails',
  'ConfirmPayment',
  'CancelPayment',
  'RefundPayment',
]
/** Cards are paid on the bank's own page, and saved ones charged, by this type. */
export const SAVED_CARD = 6
/** `GetBindings` lists every saved card of the account. */
const LIST_BYTES_MAX = 20_000_000

/** The codes that decide something. `fault`: ours, for the bank's message with HTTP 500. */
export const CODES = {
  opened: '1',
  done: '00',
  numberUsed: '01',
  duplicate: '08204',
  currency: '03',
  missing: '04',
  wrong: '05',
  noOrder: '06',
  overloaded: '07',
  login: '20',
  opaque: '30',
  amount: '50',
  parameters: '510',
  mayNotRefund: '513',
  mayNotCancel: '514',
  system: '550',
  failed: '560',
  fault: 'fault',
} as const

/** After these codes of a write the bank has done nothing. 07 means a wrong state, or a failure at the bank itself. */
const REFUSING: readonly string[] = [
  CODES.numberUsed,
  CODES.duplicate,
  CODES.currency,
  CODES.missing,
  CODES.wrong,
  CODES.noOrder,
  CODES.login,
  CODES.opaque,
  CODES.amount,
  CODES.parameters,
  CODES.mayNotRefund,
  CODES.mayNotCancel,
]

export type Body = Record<string, unknown>
export type AmeriaAnswer = { code: string; body: Body }

/** @throws RetryLaterError for 429; UnreadableError for what is no answer; Error for every other status */
export async function askAmeria(call: AmeriaCall, operation: Operation, fields: Body): Promise<AmeriaAnswer> {
  const { ADDRESS: address, CLIENT_ID, USERNAME, PASSWORD } = call.settings
  const login = { Username: USERNAME, Password: PASSWORD }
  const client = WITHOUT_CLIENT.includes(operation) ? {} : { ClientID: CLIENT_ID }
  const { status, text, headers } = await call.http.request({
    method: 'POST',
    url: `${address}api/VPOS/${operation}`,
    headers: { 'content-type': 'application/json; charset=utf-8', accept: 'application/json' },
    body: JSON.stringify({ ...client, ...login, ...fields }),
    isRead: READS.includes(operation),
    ...(operation === 'GetBindings' && { bytesMax: LIST_BYTES_MAX }),
  })
  if (status === 429) throw new RetryLaterError('the bank answered 429', headers)
  if (status === 500 && isFault(text)) return { code: CODES.fault, body: {} }
  if (status !== 200) throw new Error(`the bank answered ${status}`)
  const body = readObject(text)
  if (!body) throw new UnreadableError('the bank answered with something else than an object in JSON')
  const code = codeIn(body)
  if (REFUSING.includes(code)) call.http.noteRefused()
  return { code, body }
}

function readObject(text: string): Body | null {
  try {
    const body: unknown = JSON.parse(text)
    return typeof body === 'object' && body !== null && !Array.isArray(body) ? (body as Body) : null
  } catch {
    return null
  }
}

/** The answer of the bank's software to whatever it does not handle. A page of another server is not this. */
function isFault(text: string): boolean {
  const body = readObject(text)
  return body !== null && typeof body.Message === 'string' && Object.keys(body).length === 1
}

/** Numbers and texts are the same code. `1` is the success of `InitPayment`, and `01` is not. */
function codeIn({ ResponseCode: code }: Body): string {
  if (typeof code === 'number' && Number.isInteger(code)) return String(code)
  if (typeof code === 'string' && /^[\w-]{1,16}$/.test(code)) return code
  throw new UnreadableError('the bank answered without a code')
}

/**
 * After a code that a wrong login has too: asks about a number. Whether the bank knows it does not matter.
 * @throws AccountRefusedError if the bank refuses the login
 */
export async function expectLogin(call: AmeriaCall): Promise<void> {
  const { code } = await askAmeria(call, 'GetPaymentId', { OrderID: call.settings.LAST_NUMBER })
  if (code === CODES.login) throw new LoginRefusedError()
}

export class LoginRefusedError extends AccountRefusedError {
  constructor() {
    super(
      'credentials',
      'The bank answers with code 20: the ClientID, the user name or the password is wrong.',
    )
  }
}

/** The bank has not allowed this kind of request. @throws AccountRefusedError: of the login if that is refused too */
export async function refuseRight(call: AmeriaCall, message: string): Promise<never> {
  await expectLogin(call)
  throw new AccountRefusedError('rights', message)
}
