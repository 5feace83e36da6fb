/** The callbacks of the simulated gateway, with a checksum by a shared key (HMAC) or by the bank's own key (RSA). */
import { createHmac, sign } from 'node:crypto'
import type { Bank, SimOrder } from './bank.ts'
import { hooksOf } from './faults.ts'

/** `key`: text for HMAC. `privateKey`: PEM for RSA. */
export type CallbackSetup = { url: string; method: 'GET' | 'POST' } & (
  | { key: string }
  | { privateKey: string }
)

export type Transmission = { method: 'GET' | 'POST'; url: string; fields: Record<string, string> }

export function sendCallbacks(
  { shop: { callbacks } }: Pick<Bank, 'shop'>,
  order: SimOrder,
  operations: string[],
  deliver: (each: Transmission) => void,
): void {
  if (!callbacks) return
  const { sent = (all: readonly string[]) => [...all] } = hooksOf(order.fault)
  for (const operation of sent(operations)) {
    const fields = { mdOrder: order.id, orderNumber: order.number, operation, status: statusOf(order) }
    deliver({ method: callbacks.method, url: callbacks.url, fields: withChecksum(callbacks, fields) })
  }
}

const statusOf = ({ status }: SimOrder) => (status === 6 ? '0' : '1')

export function withChecksum(setup: CallbackSetup, fields: Record<string, string>): Record<string, string> {
  const names = Object.keys(fields).toSorted()
  const text = names.map((name) => `${name};${fields[name] ?? ''};`).join('')
  const bytes =
    'key' in setup
      ? createHmac('sha256', setup.key).update(text).digest()
      : sign('sha512', Buffer.from(text), setup.privateKey)
  return { ...fields, checksum: bytes.toString('hex').toUpperCase() }
}
