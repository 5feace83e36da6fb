/** The stored events. Each is one count in the row of its payment. */
const { ContainerRegistrationKeys } = require('@medusajs/framework/utils')

const dbOf = (container) => container.resolve(ContainerRegistrationKeys.PG_CONNECTION)

/** Stores that an event has come. Returns false if it is about no payment session of this shop, also none of its past. */
exports.tell = async (container, { id, merchantOrderId }) => {
  const { rowCount } = await dbOf(container).raw(
    `insert into kassa_news (id, session_id, told) select ?, id, 1 from payment_session where id = ?
     on conflict (id) do update set told = kassa_news.told + 1, updated_at = now()`,
    [id, merchantOrderId],
  )
  return rowCount > 0
}

/** Lets a payment be decided again, if an event has told of it before. */
exports.wake = (db, id) => db('kassa_news').where({ id }).increment('told', 1)

/** Returns false if this refund of Kassa is booked already. */
exports.claimRefund = async (db, operationId) => {
  const { rowCount } = await db.raw(
    'insert into kassa_refund (operation_id) values (?) on conflict do nothing',
    [operationId],
  )
  return rowCount > 0
}

/** What Medusa knew to be refunded when Kassa did not answer the last refund of this payment. Null: it has answered. */
exports.readUnanswered = async (db, payment_id) => {
  const [row] = await db('kassa_unanswered').where({ payment_id })
  return row ? Number(row.refunded_minor) : null
}

exports.noteUnanswered = (db, payment_id, refunded_minor) => {
  const rows = db('kassa_unanswered')
  if (refunded_minor === null) return rows.where({ payment_id }).delete()
  return rows.insert({ payment_id, refunded_minor }).onConflict('payment_id').merge()
}

/** The data of the payment to which a refund of Medusa belongs, as it is stored now, or null. */
exports.readDataOf = async (db, refundId) => {
  const [row] = await db('refund')
    .join('payment', 'payment.id', 'refund.payment_id')
    .where('refund.id', refundId)
    .select('payment.data')
  return row?.data ?? null
}

/** What fails goes to the end of the list, so that it keeps nothing else from being tried. */
exports.putLast = (container, id) =>
  dbOf(container)('kassa_news').where({ id }).update({ updated_at: new Date() })

exports.find = async (container, id) => (await dbOf(container)('kassa_news').where({ id }))[0] ?? null

exports.listTold = (container) =>
  dbOf(container)('kassa_news').whereRaw('told > done').orderBy('updated_at').limit(200)

exports.finish = (container, id, changes) => dbOf(container)('kassa_news').where({ id }).update(changes)
