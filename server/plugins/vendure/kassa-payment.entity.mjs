/** One row for each payment at Kassa that belongs to an order, or that an event has told of. */
import { VendureEntity } from '@vendure/core'
import { Column, Entity, Index } from 'typeorm'

/** Kassa's amounts are larger than 32 bits. Some databases return them as text. */
const AMOUNT = { type: 'bigint', nullable: true, transformer: { to: (sum) => sum, from: toNumber } }

function toNumber(value) {
  return value === null ? null : Number(value)
}

export class KassaPayment extends VendureEntity {}

const COLUMNS = {
  /** Kassa's own id. */
  paymentId: { type: 'varchar', length: 120, unique: true },
  orderCode: { type: 'varchar', length: 120 },
  /** What this shop asked for. Null until this shop is known to have created the payment. */
  method: { type: 'varchar', length: 255, nullable: true },
  channelId: { type: 'varchar', length: 60, nullable: true },
  amountMinor: AMOUNT,
  currency: { type: 'varchar', length: 3, nullable: true },
  checkoutUrl: { type: 'text', nullable: true },
  /** As Kassa had it at the last decision. */
  status: { type: 'varchar', length: 40, nullable: true },
  /** The buyer cannot pay it any more: it brought money, or ended without. */
  ended: { type: 'boolean', default: false },
  /** Somebody has asked Kassa to close it, so its end is no failed attempt of the buyer. */
  closing: { type: 'boolean', default: false },
  /** How many events were stored, and how many of them were known at the last decision. */
  told: { type: 'int', default: 0 },
  done: { type: 'int', default: 0 },
  /** How often this payment was decided. A decision on an older look-up is made again. */
  decisions: { type: 'int', default: 0 },
  /** What was returned as Vendure knew when Kassa did not answer a refund. Null: each was answered. */
  unanswered: AMOUNT,
  /** The last note to the staff, so that each is written once. */
  note: { type: 'varchar', length: 500, nullable: true },
}

for (const [name, options] of Object.entries(COLUMNS))
  Column(/** @type {any} */ (options))(KassaPayment.prototype, name)
Index()(KassaPayment.prototype, 'orderCode')
Entity('kassa_payment')(KassaPayment)
