import { describe, expect, test } from 'vitest'
import { refusalOf } from '../accounts/capability-state.ts'
import { CAPABILITY_NAMES, CapabilitiesResponse, PLATFORMS, type Platform } from '../contract/capability.ts'
import { PROVIDER_ROUTES } from '../contract/fields.ts'
import { PAYMENT_STATUSES } from '../contract/payment.ts'
import type { Driver } from '../providers/driver.ts'
import type { Route } from '../providers/registry.ts'
import { readRoutes } from '../settings/routes.ts'
import { createLink, createSession, linkRequest, readCapabilities, sessionRequest } from '../testing/calls.ts'
import { openScene } from '../testing/scene.ts'
import { capabilityOf, presentCapabilities } from './capability.ts'
import { STATUS_TABLE } from './status.ts'

const { kassa, shop } = await openScene()

const PRESENTATIONS = ['payment_links', 'qr_presentation'] as const
/** A payment can be cancelled on every route, so no driver needs a method for it. */
const OPERATIONS = CAPABILITY_NAMES.filter(
  (name) => name !== 'cancel' && !PRESENTATIONS.some((each) => each === name),
)
const METHODS = ['refund', 'capture', 'void', 'saveToken', 'chargeToken']

describe('GET /v1/capabilities', () => {
  test('has every route and every capability, and nothing that the contract does not name', async () => {
    const { status, body } = await readCapabilities(kassa.url, shop)
    expect(status).toBe(200)
    expect(CapabilitiesResponse.parse(body)).toEqual(body)
    expect(body).toMatchObject({ ok: true, mode: 'sandbox', defaultProvider: 'route_a', status: 'ready' })
    expect(body.providers.map((each: { id: string }) => each.id)).toEqual([...PROVIDER_ROUTES])
    for (const provider of body.providers)
      expect(Object.keys(provider.capabilities).sort()).toEqual([...CAPABILITY_NAMES].sort())
    expect(Math.abs(Date.parse(body.generatedAt) - kassa.clock.now().getTime())).toBeLessThan(10_000)
  })

  test('agrees with creation: a ready route creates payments, and a request for any other route is rejected', async () => {
    const { body } = await readCapabilities(kassa.url, shop)
    for (const { id, readiness, capabilities, currencies } of body.providers) {
      const expected = readiness.enabledForPaymentCreation ? 201 : 422
      const answers = [
        await createSession(kassa.url, shop, { key: `s-${id}`, body: sessionRequest({ provider: id }) }),
        await createLink(kassa.url, shop, { key: `l-${id}`, body: linkRequest({ providerRoute: id }) }),
      ]
      expect([id, ...answers.map(({ status }) => status)]).toEqual([id, expected, expected])
      for (const name of PRESENTATIONS)
        expect(capabilities[name]).toMatchObject({
          enabled: readiness.enabledForPaymentCreation,
          proofOfPayment: 'webhook_or_reconciliation_only',
        })
      expect(currencies.length > 0).toBe(readiness.enabledForPaymentCreation)
    }
  })

  test('names exactly the settings that each route is missing', async () => {
    const { body } = await readCapabilities(kassa.url, shop)
    const missing = body.providers.map(
      (each: { readiness: { missingEnv: string[] } }) => each.readiness.missingEnv,
    )
    expect(missing).toEqual([[], [], [], [], ['ROUTE_E_DRIVER'], []])
  })

  test('returns 401 without a valid token', async () => {
    expect((await readCapabilities(kassa.url, { ...shop, token: 'none' })).status).toBe(401)
  })
})

describe('the state of the service', () => {
  const state = (settings: Record<string, string>, mode: 'sandbox' | 'live' = 'sandbox') => {
    const { accounts, config, clock } = kassa.ctx
    const defaultProvider = (settings.DEFAULT_PROVIDER ?? 'route_a') as 'route_a'
    return presentCapabilities({
      world: mode,
      accounts,
      clock,
      config: { ...config, mode, defaultProvider },
      routes: readRoutes(mode, settings),
    })
  }

  test('is degraded when only the default route cannot create payments', () => {
    expect(state({ DEFAULT_PROVIDER: 'route_e' })).toMatchObject({
      status: 'degraded',
      defaultProvider: 'route_e',
    })
    expect(state({}, 'live')).toMatchObject({ mode: 'live', status: 'degraded' })
    expect(state({ DEFAULT_PROVIDER: 'manual' }, 'live').status).toBe('ready')
  })

  test('is not ready when no route can create payments', () => {
    const { accounts, config, clock, routes } = kassa.ctx
    const none = Object.fromEntries(
      PROVIDER_ROUTES.map((route) => [route, { ...routes.route_e, route }]),
    ) as typeof routes
    expect(presentCapabilities({ world: 'sandbox', accounts, clock, config, routes: none }).status).toBe(
      'not_ready',
    )
  })

  test('names a driver that does not exist and the drivers that do, and its setting does not count as missing', () => {
    const [route] = state({ ROUTE_A_DRIVER: 'nobody' }).providers
    expect(route?.readiness).toMatchObject({
      enabledForPaymentCreation: false,
      missingEnv: [],
    })
    expect(route?.readiness.reason).toContain('There is no driver "nobody"')
    expect(route?.readiness.reason).toContain('ROUTE_A_DRIVER must be one of sandbox')
  })
})

describe('an operation', () => {
  const { route_a: sandbox } = readRoutes('sandbox', {})
  const allMethods = Object.fromEntries(METHODS.map((name) => [name, async () => ({})]))
  const routeWith = (members: object, setting?: string): Route => ({
    ...sandbox,
    driver: { ...(sandbox.driver as Driver), ...members },
    fiscal: Object.values(members).some(Boolean) ? sandbox.fiscal : null,
    settings: { RENEWALS: 'enabled', ...(setting !== undefined && { OPERATIONS: setting }) },
  })

  test.each(OPERATIONS)('%s is supported only by a driver that has its method', (name) => {
    const noMethods = Object.fromEntries(METHODS.map((method) => [method, undefined]))
    expect(capabilityOf(kassa.ctx, routeWith(noMethods, 'enabled'), name)).toMatchObject({
      supported: false,
      enabled: false,
    })
    expect(capabilityOf(kassa.ctx, routeWith(allMethods, 'enabled'), name)).toEqual({
      supported: true,
      enabled: true,
    })
  })

  test.each(OPERATIONS)(
    '%s that the operator has not enabled is disabled, and the reason names the setting',
    (name) => {
      for (const setting of ['disabled', undefined]) {
        const state = capabilityOf(kassa.ctx, routeWith(allMethods, setting), name)
        expect(state).toMatchObject({ supported: true, enabled: false })
        expect(state.reason).toContain('ROUTE_A_OPERATIONS')
      }
    },
  )

  test('subscriptions are disabled while nothing is set up for failed renewals, and the reason names the setting', () => {
    const route = routeWith(allMethods, 'enabled')
    const state = capabilityOf(kassa.ctx, { ...route, settings: { OPERATIONS: 'enabled' } }, 'subscriptions')
    expect(state).toMatchObject({ supported: true, enabled: false })
    expect(state.reason).toContain('ROUTE_A_RENEWALS')
  })

  test.each(OPERATIONS)(
    '%s that is not set up counts as enabled, and its reason mentions the 501',
    (name) => {
      const state = capabilityOf(kassa.ctx, routeWith(allMethods, 'not_configured'), name)
      expect(state).toMatchObject({ supported: true, enabled: true })
      expect(state.reason).toContain('501')
    },
  )

  test('names no setting and no driver in a refusal', () => {
    const unready: Route = { ...sandbox, driver: null, reason: 'Missing or wrong: ROUTE_A_KEY.' }
    const routes = [unready, ...['enabled', 'disabled', 'not_configured'].map((each) => routeWith({}, each))]
    for (const route of routes)
      for (const settings of [route.settings, { OPERATIONS: route.settings.OPERATIONS }])
        for (const fiscal of [route.fiscal, null])
          for (const name of CAPABILITY_NAMES)
            expect(refusalOf(kassa.ctx, { ...route, settings, fiscal }, name) ?? '').not.toMatch(
              /[A-Z]_|setting|driver/,
            )
  })

  test('is never enabled without being supported, and never disabled without a reason', async () => {
    const { body } = await readCapabilities(kassa.url, shop)
    for (const { capabilities } of body.providers)
      for (const name of CAPABILITY_NAMES) {
        const { supported, enabled, reason } = capabilities[name]
        expect([name, enabled && !supported]).toEqual([name, false])
        expect([name, enabled || reason !== undefined]).toEqual([name, true])
      }
  })
})

describe('the status map for shop platforms', () => {
  const read = async () => (await readCapabilities(kassa.url, shop)).body.connectors.statusSync

  test('has exactly the agreed content', async () => {
    const { platforms, normalizedStatuses, ...sync } = await read()
    expect(sync).toEqual({
      version: 4,
      terminalStatuses: [
        'paid',
        'failed',
        'cancelled',
        'reversed',
        'partially_refunded',
        'refunded',
        'expired',
      ],
      fulfilmentStatuses: ['paid'],
      accountingStatuses: ['refunded', 'partially_refunded', 'reversed', 'disputed'],
      proofOfPayment: 'webhook_or_reconciliation_only',
      poll: { minSeconds: 3, backoff: 'exponential', maxSeconds: 900 },
    })
    expect(normalizedStatuses).toEqual([...PAYMENT_STATUSES])
    expect(Object.keys(platforms).sort()).toEqual([...PLATFORMS].sort())
  })

  test('a status is terminal only if the payment is not open', async () => {
    for (const status of (await read()).terminalStatuses as (keyof typeof STATUS_TABLE)[])
      expect([status, 'open' in STATUS_TABLE[status]]).toEqual([status, false])
  })

  const UNDECIDED = [
    'status_unknown',
    'disputed',
    'created',
    'pending_redirect',
    'pending_payment',
    'authorized',
  ] as const
  /** States in which the order waits, although we also use them for a final status: no goods leave, and the order is not cancelled. */
  const WAITING: Partial<Record<Platform, string[]>> = {
    prestashop: ['KASSA_OS_HOLD'],
    vendure: ['ArrangingPayment', 'Modifying'],
  }
  /** Magento captures by an invoice, and only an order in the state of a paid one takes an invoice. */
  const invoiced: Partial<Record<Platform, string>> = { magento: 'authorized' }

  test.each(PLATFORMS)(
    '%s has a name for every status, and an undecided payment never completes or ends the order',
    async (platform) => {
      const names = (await read()).platforms[platform]
      expect(Object.keys(names).sort()).toEqual([...PAYMENT_STATUSES].sort())
      const { paid, failed, cancelled, refunded, expired, reversed } = names
      const final = [paid, failed, cancelled, refunded, expired, reversed]
      const finals = final.filter((name) => !WAITING[platform]?.includes(name))
      for (const status of UNDECIDED)
        expect([status, finals.includes(names[status])]).toEqual([status, invoiced[platform] === status])
    },
  )

  test('in PrestaShop no buyer is asked to pay once more while money may be there', async () => {
    const names = (await read()).platforms.prestashop
    // The mails of these states ask for the money, according to the data of a new installation.
    const asking = ['PS_OS_BANKWIRE', 'PS_OS_CHEQUE', 'PS_OS_ERROR']
    const held = [names.authorized, names.status_unknown, names.disputed]
    expect(held.filter((name) => asking.includes(name))).toEqual([])
  })
})
