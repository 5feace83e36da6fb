/** The rows of the plug-in, the lock of an order, and the amounts: what the handler and the decisions share. */
import {
  ConfigService,
  Logger,
  Order,
  PaymentMethod,
  Refund,
  TransactionalConnection,
  UserInputError,
} from '@vendure/core'
import { injectable } from './injectable.mjs'
import { KassaPayment } from './kassa-payment.entity.mjs'
import { fromKassa, toKassa } from './money.mjs'
import { Pauses } from './pauses.mjs'
import { usesKassa } from './settings.mjs'
import { say } from './texts.mjs'

/** Longer than one call to Kassa. Who waits longer is refused, and does not keep a connection of the shop. */
const LOCK_WAIT = '20s'
const LOCK_NOT_AVAILABLE = '55P03'

export class KassaBook {
  /**
   * @param {TransactionalConnection} connection
   * @param {ConfigService} configService
   */
  constructor(connection, configService) {
    this.connection = connection
    this.pauses = new Pauses()
    this.precision = () => configService.entityOptions.moneyStrategy.precision ?? 2
  }

  toKassa(value, currency) {
    return toKassa(value, currency, this.precision())
  }
  fromKassa(minor, currency) {
    return fromKassa(minor, currency, this.precision())
  }

  /**
   * `ctx`: without one, outside of every transaction.
   *
   * @param {import('@vendure/core').RequestContext} [ctx]
   * @returns {import('typeorm').Repository<any>} the columns are given to TypeORM without a decorator
   */
  rows(ctx) {
    return ctx
      ? this.connection.getRepository(ctx, KassaPayment)
      : this.connection.rawConnection.getRepository(KassaPayment)
  }

  find = (paymentId, ctx) => this.rows(ctx).findOneBy({ paymentId })
  ofOrder = (orderCode, ctx) => this.rows(ctx).find({ where: { orderCode }, order: { id: 'ASC' } })

  /** Locks the order until the transaction of `ctx` ends. A button of the staff, an event and a return wait for each other. */
  async lock(ctx, orderCode) {
    const orders = this.connection.getRepository(ctx, Order)
    await orders.manager.query(`SET LOCAL lock_timeout = '${LOCK_WAIT}'`)
    await orders
      .createQueryBuilder('locked')
      .select('locked.id')
      .setLock('pessimistic_write')
      .where('locked.code = :orderCode', { orderCode })
      .getOne()
      .catch((error) => {
        const isBusy = error.driverError?.code === LOCK_NOT_AVAILABLE
        throw isBusy ? new UserInputError(say(ctx.languageCode, 'busy')) : error
      })
  }

  /** Makes every decision stale that has looked at this payment before. Call it under the lock. */
  makeStale = (ctx, paymentId) => this.rows(ctx).increment({ paymentId }, 'decisions', 1)

  /** Stores a payment that this shop has created. Its event may have come first. */
  async keep({ paymentId, orderCode, ...asked }) {
    await this.#insert({ paymentId, orderCode })
    await this.rows().update({ paymentId }, { orderCode, ...asked })
    this.pauses.end(paymentId)
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

  /** Lets the payment be decided soon. */
  async wake(paymentId) {
    await this.rows().increment({ paymentId }, 'told', 1)
    this.pauses.end(paymentId)
  }

  /**
   * Does the same after the transaction that holds the row has ended, also if it is rolled back. It waits for that transaction on another
   * connection, so nobody inside of the transaction may wait for it.
   */
  wakeLater = (paymentId) => this.#later(paymentId, this.wake(paymentId))

  /** Stores that a refund was not answered, after its transaction is rolled back. `returned`: what was returned before it, or null. */
  noteUnansweredLater = (paymentId, returned) =>
    this.#later(paymentId, this.rows().update({ paymentId }, { unanswered: returned }))

  #later(paymentId, work) {
    work.catch((error) => this.warn(`${paymentId}: ${error.message}`))
  }

  isTold = (paymentId) =>
    this.rows()
      .createQueryBuilder('row')
      .where('row.paymentId = :paymentId AND row.told > row.done', { paymentId })
      .getExists()

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

  /** Two channels may have payment methods with the same code. */
  async methodOf({ method, channelId }) {
    const isThis = ({ code, channels }) =>
      code === method && channels.some(({ id }) => String(id) === channelId)
    return (await this.listMethods()).find(isThis)
  }

  warn = (text) => Logger.warn(text, 'Kassa')
}
injectable(KassaBook, TransactionalConnection, ConfigService)
