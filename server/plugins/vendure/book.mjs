/** The rows of the plug-in, the lock of an order, and the amounts: what the handler and the decisions share. */
import { ConfigService, Logger, Order, PaymentMethod, Refund, TransactionalConnection } from '@vendure/core'
import { injectable } from './injectable.mjs'
import { KassaPayment } from './kassa-payment.entity.mjs'
import { fromKassa, toKassa } from './money.mjs'
import { usesKassa } from './settings.mjs'

/** Databases with one writer need no lock of a row, and have none. */
const WITHOUT_ROW_LOCKS = /sqlite|sqljs/

export class KassaBook {
  constructor(connection, configService) {
    this.connection = connection
    this.precision = () => configService.entityOptions.moneyStrategy.precision ?? 2
  }

  toKassa(value, currency) {
    return toKassa(value, currency, this.precision())
  }
  fromKassa(minor, currency) {
    return fromKassa(minor, currency, this.precision())
  }

  /** `ctx`: without one, outside of every transaction. */
  rows(ctx) {
    return ctx
      ? this.connection.getRepository(ctx, KassaPayment)
      : this.connection.rawConnection.getRepository(KassaPayment)
  }

  find = (paymentId, ctx) => this.rows(ctx).findOneBy({ paymentId })
  ofOrder = (orderCode, ctx) => this.rows(ctx).find({ where: { orderCode }, order: { id: 'ASC' } })

  /** Locks the order until the transaction of `ctx` ends. A button of the staff, an event and a return wait for each other. */
  async lock(ctx, orderCode) {
    if (!WITHOUT_ROW_LOCKS.test(this.connection.rawConnection.options.type))
      await this.connection
        .getRepository(ctx, Order)
        .createQueryBuilder('locked')
        .select('locked.id')
        .setLock('pessimistic_write')
        .where('locked.code = :orderCode', { orderCode })
        .getOne()
  }

  /** Makes every decision stale that has looked at this payment before. Call it under the lock. */
  makeStale = (ctx, paymentId) => this.rows(ctx).increment({ paymentId }, 'decisions', 1)

  /** Stores a payment that this shop has created. Its event may have come first. */
  async keep({ paymentId, orderCode, ...asked }) {
    await this.#insert({ paymentId, orderCode })
    await this.rows().update({ paymentId }, { orderCode, ...asked })
  }

  /** Stores that an event has come. Returns false if it is about no order of this shop. */
  async tell(paymentId, orderCode) {
    const isOurs = await this.connection.rawConnection.getRepository(Order).existsBy({ code: orderCode })
    if (!isOurs) return false
    await this.#insert({ paymentId, orderCode })
    await this.wake(paymentId)
    return true
  }

  async #insert(row) {
    await this.rows().createQueryBuilder().insert().into(KassaPayment).values(row).orIgnore().execute()
  }

  wake = (paymentId) => this.rows().increment({ paymentId }, 'told', 1)

  listTold = async () =>
    (
      await this.rows().createQueryBuilder('row').where('row.told > row.done').orderBy('row.id').getMany()
    ).map(({ paymentId }) => paymentId)

  refundsOf = (ctx, id) => this.connection.getRepository(ctx, Refund).find({ where: { payment: { id } } })

  /** Every payment method that uses Kassa, in every channel. */
  async listMethods() {
    const all = await this.connection.rawConnection
      .getRepository(PaymentMethod)
      .find({ relations: ['channels'] })
    return all.filter(usesKassa)
  }

  warn = (text) => Logger.warn(text, 'Kassa')
}
injectable(KassaBook, TransactionalConnection, ConfigService)
