/** Which PayPal-Request-Id each write has. */
import { isOfOneWrite, requestIdOf } from '../driver/request-id.ts'

/**
 * What follows our reference, or the operation's key. To a request with an id that it knows, PayPal returns the result of the earlier
 * one, and does nothing. The creation of an order has nothing: the version before sent it so, and PayPal must open one order when this
 * version sends it again.
 */
const MARKS = {
  create: '',
  captureOrder: 'capture',
  authorizeOrder: 'authorize',
  refund: 'refund',
  captureHold: 'take',
  void: 'void',
  saveSetup: 'setup',
  saveToken: 'keep',
} as const
type PaypalWrite = keyof typeof MARKS

/** Orders v2 accepts 108 characters. Payments v2 and Vault v3 state no limit, and other pages of PayPal name 38. */
const CHARS_MAX = 38
const ORDER_CHARS_MAX = 108

/**
 * `room`: our reference or the operation's key. `nth`: how often PayPal has refused this write for good before. The next try is another
 * write.
 */
export function paypalRequestId(write: PaypalWrite, room: string, nth = 0): string {
  const mark = isOfOneWrite(room) ? '' : MARKS[write]
  const marks = [...(mark === '' ? [] : [mark]), ...(nth > 0 ? [String(nth)] : [])]
  const max = write === 'create' ? ORDER_CHARS_MAX : CHARS_MAX
  return requestIdOf([room], marks, { separator: '-', max, marks: Object.values(MARKS) })
}
