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

exports.find = async (container, id) => (await dbOf(container)('kassa_news').where({ id }))[0] ?? null

exports.listTold = (container) =>
  dbOf(container)('kassa_news').whereRaw('told > done').orderBy('updated_at').limit(200)

exports.finish = (container, id, changes) => dbOf(container)('kassa_news').where({ id }).update(changes)
