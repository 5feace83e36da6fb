/** What the buyer wrote, as the shop needs it for a parcel. */
import type { ShownOrderPayment } from '../storage/orders/payments.ts'
import { OWN_METADATA } from '../storage/payments/payment.ts'

const TEXT_MAX_CHARS = 1_000

/** Returns each field with its name, first the person and then what else was asked. Empty once it is forgotten. */
export function buyerFields({
  buyer,
  sells,
}: Pick<ShownOrderPayment, 'buyer' | 'sells'>): [name: string, text: string][] {
  const { customer = {}, metadata = {} } = buyer ?? {}
  const own: readonly string[] = sells ? OWN_METADATA[sells] : []
  const fields: [string, unknown][] = [
    ...Object.entries(customer),
    ...Object.entries(metadata).filter(([key]) => !own.includes(key)),
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
