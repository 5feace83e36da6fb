/** What the buyer wrote, as the shop needs it for a parcel. */
import type { OrderPayment } from '../storage/orders/payments.ts'

/** What Kassa itself keeps in the metadata of a payment. */
const OWN_KEYS = ['source', 'productId', 'clientReference', 'quantity', 'subscriptionId', 'period', 'attempt']
const TEXT_MAX_CHARS = 1_000

/** Returns each field with its name, first the person and then what else was asked. Empty once it is forgotten. */
export function buyerFields({ buyer }: Pick<OrderPayment, 'buyer'>): [name: string, text: string][] {
  const { customer = {}, metadata = {} } = buyer ?? {}
  const fields: [string, unknown][] = [
    ...Object.entries(customer),
    ...Object.entries(metadata).filter(([key]) => !OWN_KEYS.includes(key)),
  ]
  return fields.flatMap(([name, value]) => {
    const text = textOf(value)
    return text === '' ? [] : [[name, text.slice(0, TEXT_MAX_CHARS)] as [string, string]]
  })
}

/** Returns the text of a value of the metadata. A shop's own program may keep anything there. */
export function textOf(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value).trim()
}
