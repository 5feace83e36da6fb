const { model } = require('@medusajs/framework/utils')

/** `told`: how many events have come. `done`: how many of them were known at the last decision. */
exports.KassaNews = model.define('kassa_news', {
  /** Of the payment at Kassa. */
  id: model.text().primaryKey(),
  session_id: model.text(),
  told: model.number().default(0),
  done: model.number().default(0),
  /** The last note to the staff, so that each is written once. */
  note: model.text().nullable(),
})
