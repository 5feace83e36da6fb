/** `payment find` and `payment index`: payments by what a person has in hand. */
import { findPayments } from '../../../operator/finding/find.ts'
import { writeAllRows } from '../../../operator/finding/rows.ts'
import { presentPaymentRecord } from '../../../operator/payment-view.ts'
import { verb } from '../../command.ts'
import { count, optional, several } from '../../flag.ts'
import { amount, counted, moment, paragraphs, table } from '../../layout.ts'
import { ZONE, zonesFor } from '../../zone-flag.ts'

const find = verb({
  name: 'find',
  needs: 'viewer',
  summary: 'Find payments by what a person says about them',
  flags: {
    words: several('WORDS', 'what the person said, in any order'),
    merchant: optional('ID', 'only payments of this merchant'),
    zone: ZONE,
    limit: count('N', 'the number of payments', { max: 100, fallback: 10 }),
  },
  examples: ['MAPZ 2VEK', '45 dollars on Tuesday', 'ani@shop.example --merchant mer_01...'],
  async run(ctx, { words, merchant: merchantId, zone: zoneFlag, limit }) {
    const zones = await zonesFor(ctx, { zone: zoneFlag, merchant: merchantId })
    const wish = { merchantId: merchantId ?? null, zones, limit }
    const { found, isAll } = await findPayments(ctx, words.join(' '), wish)
    const rows = found.map(({ payment, because }) => [
      payment.id,
      moment(payment.createdAt),
      payment.status,
      amount(payment.amountMinor, payment.currency),
      payment.merchantOrderId,
      because.join(', '),
    ])
    const many = `Too many payments match, so only the newest were looked at. Add a day, an amount, or a part of an order number or of a name.`
    const text =
      rows.length > 0
        ? paragraphs(
            table(['Payment', 'Created', 'Status', 'Amount', 'Order', 'Found by'], rows),
            counted(rows.length, 'payment'),
            isAll ? null : many,
          )
        : isAll
          ? 'No payments found. Say less, or something else that the person has in hand, with at least two letters or digits.'
          : many
    const payments = found.map(({ payment, because }) => ({ ...presentPaymentRecord(ctx, payment), because }))
    return { json: { payments, isAll, zone: zones.length === 1 ? zones[0] : null }, text }
  },
})

const index = verb({
  name: 'index',
  needs: 'operator',
  recorded: 'before',
  summary: 'Make the rows anew by which payments are found',
  flags: {},
  examples: [''],
  async run(ctx, _values, { print }) {
    const written = await writeAllRows(ctx, (count) => {
      if (count % 50_000 === 0) print({ text: counted(count, 'payment') })
    })
    return { json: { written }, text: `Made the rows of ${counted(written, 'payment')} anew.` }
  },
})

export const FIND_VERBS = [find, index]
