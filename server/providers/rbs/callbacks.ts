/**
 * Callbacks with a checksum, from banks that send them: by GET or by POST. One without a checksum is rejected.
 * Source: callback notifications in the reference of BPC. ArCa's gateway sends none.
 */
import { createHmac, timingSafeEqual, verify } from 'node:crypto'
import { type Inbound, plainReply } from '../driver/inbound.ts'
import type { InboundEvent, RawInbound } from '../driver.ts'
import type { OrderState } from './order.ts'
import type { RbsCall } from './request.ts'
import { publicKeyIn, type RbsSettings } from './settings.ts'

const CHARS_MAX = 10_000
/** The fields that the checksum does not cover. */
const UNSIGNED = ['checksum', 'sign_alias']
const FORM = /^application\/x-www-form-urlencoded\b/i

export const inbound: Inbound<RbsCall> = {
  async receive(call, raw): Promise<InboundEvent> {
    const rejected = (message: string): InboundEvent => ({ kind: 'rejected', message })
    const fields = fieldsOf(raw)
    if (!fields) return rejected('it is no callback of the gateway')
    if (!isGenuine(call.settings, fields)) return rejected('its checksum is missing or wrong')
    const { orderNumber: reference, mdOrder: id } = fields
    if (!reference || !id) return rejected('it names no order')
    // The answer to the registration may have been lost, and the callback tells the id.
    return { kind: 'hint', reference, state: { id } satisfies OrderState }
  },
  reply: plainReply,
}

type Fields = Record<string, string>

/** Returns null for a body that is no form, and for a name that is there twice. */
function fieldsOf({ method, query, headers, body }: RawInbound): Fields | null {
  if (method === 'GET') return body.length === 0 ? query : null
  if (!FORM.test(headers['content-type'] ?? '') || body.length > CHARS_MAX) return null
  const pairs = [...new URLSearchParams(body.toString('utf8'))]
  return new Set(pairs.map(([name]) => name)).size === pairs.length ? Object.fromEntries(pairs) : null
}

/** Returns what the checksum covers: every other field in the order of the names. */
export function signedText(fields: Fields): string {
  return Object.keys(fields)
    .filter((name) => !UNSIGNED.includes(name))
    .toSorted()
    .map((name) => `${name};${fields[name]};`)
    .join('')
}

function isGenuine(
  { CALLBACK_KEY: key, CALLBACK_CERTIFICATE: certificate }: RbsSettings,
  fields: Fields,
): boolean {
  const checksum = fields.checksum ?? ''
  if (!/^([0-9a-f]{2})+$/i.test(checksum)) return false
  const given = Buffer.from(checksum, 'hex')
  const text = signedText(fields)
  if (key !== undefined && isEqual(given, createHmac('sha256', key).update(text).digest())) return true
  const publicKey = certificate === undefined ? null : publicKeyIn(certificate)
  return publicKey !== null && verify('sha512', Buffer.from(text), publicKey, given)
}

const isEqual = (given: Buffer, own: Buffer) => given.length === own.length && timingSafeEqual(given, own)
