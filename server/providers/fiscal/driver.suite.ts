/**
 * The conformance suite of cash registers: every fiscal driver passes it against its simulator, over real HTTP. A proxy between
 * the two causes faults on the way. Each cell of the printed table is green, or not in the protocol.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createOutbound } from '../../outbound/outbound.ts'
import { type Cell, FAULTS, type SuiteFault, table } from '../../testing/providers/driver-bench.ts'
import { type FaultProxy, startFaultProxy } from '../../testing/providers/fault-proxy.ts'
import { GATE_LIMITS } from '../http/gate.ts'
import { createProviderNetwork, type Exchange, wasNothingSent } from '../http.ts'
import type {
  FiscalCall,
  FiscalDriver,
  IssuedReceipt,
  PrintResult,
  ReceiptLookUp,
  ReceiptOrder,
} from './driver.ts'

export type RegisterSimulator = {
  /** The origin of its API. The proxy forwards to it. */
  origin: string
  settings(origin: string, credentials: 'right' | 'wrong'): Record<string, unknown>
  /** The numbers that the register has printed under this reference. */
  printed(name: string, reference: string): number[]
  close(): Promise<void>
}
type Bench = { driver: FiscalDriver; start(): Promise<RegisterSimulator> }

const NAME = 'mer_suite/till 1'
const NOBODY = 'http://127.0.0.1:9'
const LIMIT_MS = 60_000
/** Longer than a normal response takes, and shorter than a slow one. */
const SHORT_LIMIT_MS = 500

export function describeRegister(name: string, { driver, start }: Bench): void {
  describe(`the register ${name}`, () => {
    const cells: Cell[] = []
    const exchanges: Exchange[] = []
    let simulator: RegisterSimulator
    let proxy: FaultProxy
    let sequence = 0
    const network = createProviderNetwork({
      outbound: createOutbound(['loopback'], { anyPort: true }),
      record: (exchange) => exchanges.push(exchange),
      onBreaker: () => {},
      // Failures that the suite causes must not open the breaker.
      limits: {
        ...GATE_LIMITS,
        failures: 1_000,
        fewFailures: 1_000,
        failingMs: 1_000,
        openMs: 1,
        openMaxMs: 1,
      },
    })
    beforeAll(async () => {
      simulator = await start()
      proxy = await startFaultProxy(simulator.origin)
    })
    afterAll(async () => {
      await proxy.close()
      await simulator.close()
      console.info(`${name}\n${table(cells)}`)
    })

    function callWith(fault: SuiteFault = 'none'): FiscalCall {
      const at = fault === 'away' ? NOBODY : proxy.url
      const settings = simulator.settings(at, fault === 'wrong_credentials' ? 'wrong' : 'right')
      const addresses = driver.addresses?.(settings) ?? []
      const signal = AbortSignal.timeout(fault === 'slow' ? SHORT_LIMIT_MS : LIMIT_MS)
      const http = network.open({ id: 'register suite', addresses, secrets: [] }, signal, null)
      return { now: () => new Date(), settings, name: NAME, http, nextNumber: async () => ++sequence }
    }
    function newOrder(changes: Partial<ReceiptOrder> = {}): ReceiptOrder {
      const own = ++sequence
      return {
        reference: `rcp_test_suite${own}`,
        sequence: own,
        amountMinor: 1_900,
        currency: driver.currencies[0] ?? 'AMD',
        description: 'Mountain tea',
        lines: [{ productId: 'tea', name: 'Mountain tea', quantity: 1, amountMinor: 1_900 }],
        metadata: null,
        ...changes,
      }
    }
    const printed = ({ reference }: ReceiptOrder) => simulator.printed(NAME, reference).map(String)
    /** As the core does: an error is an unknown outcome, unless nothing was sent. */
    async function outcome(print: Promise<PrintResult>): Promise<PrintResult> {
      return print.catch((error: Error) => ({
        kind: wasNothingSent(error) ? 'unavailable' : 'unknown',
        message: error.message,
      }))
    }
    const lookUp = async (order: ReceiptOrder, fault?: SuiteFault): Promise<ReceiptLookUp> =>
      driver.lookUpReceipt?.(callWith(fault), order) ?? { kind: 'unavailable', message: 'cannot be asked' }

    /** What the driver reports must match what the register has printed, and the register has printed it at most once. */
    function expectTrue(result: PrintResult, order: ReceiptOrder): void {
      const numbers = printed(order)
      expect(numbers.length).toBeLessThanOrEqual(1)
      if (result.kind === 'issued') expect([result.number]).toEqual(numbers)
      if (result.kind === 'issued') expectPrinted(result)
      // What it has taken can be asked about.
      if (result.kind === 'pending') expect(canAsk).toBe(true)
      if (result.kind === 'refused' || result.kind === 'unavailable') expect(numbers).toEqual([])
    }
    /** Short texts that a page can show. */
    function expectPrinted({ printed: fields = {}, qr = '-' }: IssuedReceipt): void {
      for (const text of [...Object.entries(fields).flat(), qr]) expect(text).toMatch(/^\P{Cc}{1,500}$/u)
    }
    function spoil(fault: SuiteFault): void {
      if (fault !== 'none' && fault !== 'away' && fault !== 'wrong_credentials') proxy.spoilNext(fault)
    }
    const cell = (row: string, column: string, isThere: boolean, run: () => Promise<void>) => {
      const note: Cell = { row, column, result: isThere ? 'red' : 'not in the protocol' }
      cells.push(note)
      if (!isThere) return
      test(`${row}: ${column}`, async () => {
        await run()
        note.result = 'green'
      })
    }
    const canAsk = driver.lookUpReceipt !== undefined

    for (const fault of FAULTS) {
      cell('sale', fault, true, async () => {
        const order = newOrder()
        spoil(fault)
        const result = await outcome(driver.issueReceipt(callWith(fault), order))
        expectTrue(result, order)
        expect(result.kind === 'issued').toBe(fault === 'none')
        if (canAsk) await expectLookUp(order)
      })
      cell('refund', fault, true, async () => {
        const sale = newOrder()
        await driver.issueReceipt(callWith(), sale)
        const order = newOrder({ amountMinor: 500 })
        spoil(fault)
        const back = { ...order, saleNumber: printed(sale)[0] ?? '' }
        const result = await outcome(driver.issueRefundReceipt(callWith(fault), back))
        expectTrue(result, order)
        expect(result.kind === 'issued').toBe(fault === 'none')
        if (canAsk) await expectLookUp(order)
      })
      cell('look-up', fault, canAsk, async () => {
        const order = newOrder()
        await driver.issueReceipt(callWith(), order)
        spoil(fault)
        const found = await lookUp(order, fault).catch(() => null)
        // Without a response the driver reports nothing. In particular it does not report that nothing was printed.
        if (fault === 'none') expect(found).toMatchObject({ kind: 'issued' })
        else expect([null, 'unavailable']).toContain(found?.kind ?? null)
      })
    }
    async function expectLookUp(order: ReceiptOrder): Promise<void> {
      const [number] = printed(order)
      expect(await lookUp(order)).toMatchObject(number ? { kind: 'issued', number } : { kind: 'not_found' })
    }

    cell('rules', 'a sequence number that is not above the last one is rejected', true, async () => {
      await driver.issueReceipt(callWith(), newOrder())
      const order = newOrder({ sequence: 1 })
      expect((await driver.issueReceipt(callWith(), order)).kind).toBe('refused')
      expect(printed(order)).toEqual([])
    })
    cell('rules', 'a refund of an unknown sale, or of more than is left, is rejected', true, async () => {
      const sale = newOrder()
      await driver.issueReceipt(callWith(), sale)
      const saleNumber = printed(sale)[0] ?? ''
      const unknown = { ...newOrder({ amountMinor: 1 }), saleNumber: '999999' }
      const more = { ...newOrder({ amountMinor: 1_901 }), saleNumber }
      for (const order of [unknown, more])
        expect((await driver.issueRefundReceipt(callWith(), order)).kind).toBe('refused')
    })

    test('the exchange log has no secret of the register', () => {
      expect(exchanges.length).toBeGreaterThan(10)
      const secrets = (driver.secrets ?? []).map((each) => String(simulator.settings(NOBODY, 'right')[each]))
      for (const secret of secrets) expect(JSON.stringify(exchanges)).not.toContain(secret)
    })
  })
}
