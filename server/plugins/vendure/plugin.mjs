/** The plug-in itself: what it adds to Vendure, and the work that runs beside the requests. */
import {
  EventBus,
  Logger,
  OrderStateTransitionEvent,
  PaymentMethod,
  PaymentMethodEvent,
  PluginCommonModule,
  ProcessContext,
  TransactionalConnection,
  UserInputError,
  VendurePlugin,
} from '@vendure/core'
import { KassaAttempts } from './attempts.mjs'
import { KassaBook } from './book.mjs'
import { KassaDecisions } from './decisions.mjs'
import { kassaHandler } from './handler.mjs'
import { wants } from './injectable.mjs'
import { KassaPayment } from './kassa-payment.entity.mjs'
import { EVENT_ROUTE, KassaController, KassaResolver, keepRawBody, schema } from './routes.mjs'
import { findFault, usesKassa } from './settings.mjs'

const LOOK_EVERY_MS = 20_000

export class KassaPlugin {
  /**
   * @param {TransactionalConnection} connection
   * @param {EventBus} eventBus
   * @param {ProcessContext} processContext
   * @param {KassaAttempts} attempts
   * @param {KassaDecisions} decisions
   */
  constructor(connection, eventBus, processContext, attempts, decisions) {
    this.connection = connection
    this.eventBus = eventBus
    this.processContext = processContext
    this.attempts = attempts
    this.decisions = decisions
  }

  /** The lock of an order and what is read under it need what PostgreSQL does, and were tried there alone. */
  onApplicationBootstrap() {
    const { type } = this.connection.rawConnection.options
    if (type !== 'postgres')
      throw new Error(
        `Kassa needs a shop with PostgreSQL, and this one has ${type}. Remove KassaPlugin or move the shop.`,
      )
    if (!this.processContext.isServer) return
    this.eventBus.registerBlockingEventHandler({
      id: 'kassa-check-settings',
      event: PaymentMethodEvent,
      handler: (event) => this.#checkSettings(event),
    })
    this.subscription = this.eventBus
      .ofType(OrderStateTransitionEvent)
      .subscribe(({ fromState, toState, order }) => {
        const isLeft = fromState === 'ArrangingPayment' && ['AddingItems', 'Cancelled'].includes(toState)
        if (isLeft) this.attempts.closeAll(order.code).catch(warn)
      })
    const look = () => this.decisions.decideTold().catch(warn)
    this.timer = setInterval(look, LOOK_EVERY_MS).unref()
    look()
  }

  /** Throws before the settings are stored. The event of an update has only the fields that were sent, so the row is read. */
  async #checkSettings({ ctx, entity, type }) {
    if (type === 'deleted') return
    const method = await this.connection.getRepository(ctx, PaymentMethod).findOneBy({ id: entity.id })
    if (!method?.enabled || !usesKassa(method)) return
    const fault = await findFault(method, ctx.languageCode)
    if (fault !== null) throw new UserInputError(fault)
  }

  onModuleDestroy() {
    clearInterval(this.timer)
    this.subscription?.unsubscribe()
  }
}

/**
 * Vendure moves a new refund to the state that its handler returns. Without this, a refund that is under way is shown to the staff as one
 * that was refused, and is then made once more.
 */
const PENDING_STAYS = { transitions: { Pending: { to: ['Pending'] } } }

const warn = (error) => Logger.warn(error.message, 'Kassa')

wants(KassaPlugin, TransactionalConnection, EventBus, ProcessContext, KassaAttempts, KassaDecisions)
VendurePlugin({
  compatibility: '^3.7.0',
  imports: [PluginCommonModule],
  // Its constructor is protected, because it has none of its own.
  entities: [/** @type {any} */ (KassaPayment)],
  controllers: [KassaController],
  providers: [KassaBook, KassaDecisions, KassaAttempts],
  shopApiExtensions: { schema, resolvers: [KassaResolver] },
  configuration(config) {
    config.paymentOptions.paymentMethodHandlers.push(kassaHandler)
    config.paymentOptions.refundProcess = [...(config.paymentOptions.refundProcess ?? []), PENDING_STAYS]
    config.apiOptions.middleware.push({ route: `/${EVENT_ROUTE}`, handler: keepRawBody, beforeListen: true })
    return config
  },
})(KassaPlugin)
