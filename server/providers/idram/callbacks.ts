/**
 * What Idram posts to RESULT_URL: a pre-check before the buyer's money moves, and a confirmation after it.
 * Rule: Idram keeps the money of a confirmation that was answered with exactly `OK`, or with a status that is no success. After any other
 * success it gives the money back. So `OK` is said only of what is stored, and a success only where nobody can doubt what is stored.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { InboundEvent, RawInbound, RawReply } from '../driver.ts'
import { CURRENCY, minorOf } from './amount.ts'
import type { IdramSettings } from './settings.ts'

const BYTES_MAX = 16_384
const BILL = /^[\w.-]{1,64}$/
const TRANSACTION = /^[\x21-\x7e]{1,64}$/
const CHECKSUM = /^[0-9a-f]{32}$/i

export type Fields = Record<string, string>

/** In the order of the checksum, with the secret key in the place of null. */
const SIGNED = [
  'EDP_REC_ACCOUNT',
  'EDP_AMOUNT',
  null,
  'EDP_BILL_NO',
  'EDP_PAYER_ACCOUNT',
  'EDP_TRANS_ID',
  'EDP_TRANS_DATE',
] as const

/** Each field as it was received: another spelling of the same amount has another checksum. */
export function checksumOf(secret: string, fields: Fields): string {
  const text = SIGNED.map((name) => (name === null ? secret : (fields[name] ?? ''))).join(':')
  return createHash('md5').update(text).digest('hex')
}

const rejected = (message: string): InboundEvent => ({ kind: 'rejected', message })

export function receive(settings: IdramSettings, raw: RawInbound): InboundEvent {
  const fields = fieldsOf(raw)
  if (!fields) return rejected('it is no form of Idram')
  const { EDP_REC_ACCOUNT, EDP_BILL_NO: reference = '', EDP_AMOUNT = '', EDP_PRECHECK } = fields
  if (EDP_REC_ACCOUNT !== settings.REC_ACCOUNT) return rejected('it is about another account at Idram')
  const amountMinor = minorOf(EDP_AMOUNT)
  if (!BILL.test(reference) || amountMinor === null) return rejected('it names no bill with an amount')
  if (EDP_PRECHECK === undefined) return readConfirmation(settings, fields, { reference, amountMinor })
  // Nothing signs a pre-check. It moves no money, and proves nothing.
  if (EDP_PRECHECK.toUpperCase() !== 'YES') return rejected('EDP_PRECHECK is not YES')
  return { kind: 'precheck', reference, amountMinor, currency: CURRENCY }
}

function readConfirmation(
  { SECRET_KEY: secret }: IdramSettings,
  fields: Fields,
  { reference, amountMinor }: { reference: string; amountMinor: number },
): InboundEvent {
  const { EDP_CHECKSUM: checksum = '', EDP_TRANS_ID = '' } = fields
  const transaction = EDP_TRANS_ID.trim()
  if (!CHECKSUM.test(checksum) || !isEqual(checksum, checksumOf(secret, fields)))
    return rejected('the checksum is wrong: somebody else has sent it, or SECRET_KEY is not the key of Idram')
  if (!TRANSACTION.test(transaction)) return rejected('it names no transaction')
  const order = { order: 'completed', reference, amountMinor, currency: CURRENCY } as const
  const money = { authorizedMinor: amountMinor, capturedMinor: amountMinor, refundedMinor: 0 }
  const snapshot = { ...order, ...money, providerTransactionId: transaction }
  return { kind: 'proof', reference, snapshot: { ...snapshot, instrument: { kind: 'wallet' } } }
}

function isEqual(given: string, own: string): boolean {
  return timingSafeEqual(Buffer.from(given.toLowerCase()), Buffer.from(own))
}

/**
 * Returns null for what Idram does not send: it posts a form. Its document also speaks of a query string, which is read if the body has
 * nothing. Texts may be in another encoding, so only fields of plain characters are read. A field that stands there twice can be read in
 * two ways.
 */
function fieldsOf({ method, body, query }: RawInbound): Fields | null {
  if (method !== 'POST' || body.length > BYTES_MAX) return null
  const pairs = body.length > 0 ? [...new URLSearchParams(body.toString('latin1'))] : Object.entries(query)
  const own = pairs.filter(([name]) => name.startsWith('EDP_'))
  const isTwice = new Set(own.map(([name]) => name)).size < own.length
  return own.length === 0 || isTwice ? null : Object.fromEntries(own)
}

/** Whether it is about a pre-check or a confirmation, what is not `OK` stops the payment. */
export const NOT_KEPT: RawReply = { status: 200, body: 'NOT STORED' }

const REPLIES = {
  accepted: { status: 200, body: 'OK' },
  refused: { status: 200, body: 'REFUSED' },
  not_stored: NOT_KEPT,
  // The money stays with the shop, and Idram's staff are told.
  unsure: { status: 500, body: 'UNKNOWN' },
} as const satisfies Record<string, RawReply>

export function reply(event: InboundEvent, verdict: keyof typeof REPLIES): RawReply {
  return event.kind === 'rejected' ? REPLIES.refused : REPLIES[verdict]
}
