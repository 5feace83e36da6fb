/** Every series that an alert or the dashboard asks for is there when a service has just started, before anything has happened. */
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { parseSeries, type Selector, type Series, select, selectorsIn } from '../testing/alerts/prometheus.ts'
import { readRules } from '../testing/alerts/rules.ts'
import { createEmptyDatabase, type TestDatabase } from '../testing/database.ts'
import { freePort, type KassaProcess, spawnKassa } from '../testing/harness.ts'

/** Series that cannot exist, and why no alert misses anything because of that. */
const LATER: Record<string, string> = {
  kassa_http_request_duration_seconds:
    'one series for each endpoint and status. The rules compare rates of many requests',
  kassa_provider_request_duration_seconds:
    'one series for each account. The rule compares rates of many requests',
  kassa_payment_status_changes_total:
    'one series for each change and cause. KassaCardTesting only takes away what it has',
  kassa_backup_age_seconds: 'there is no backup. KassaBackupMissing asks for just that',
}

let database: TestDatabase
let kassa: KassaProcess
let fresh: Series[]
beforeAll(async () => {
  database = await createEmptyDatabase(inject('postgresUrl'))
  const port = await freePort()
  kassa = await spawnKassa({ DATABASE_URL: database.url, METRICS_PORT: String(port) })
  fresh = parseSeries(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text())
})
afterAll(async () => {
  await kassa.kill('SIGTERM')
  await database.drop()
})

const isLater = ({ name }: Selector) => Object.keys(LATER).includes(name.replace(/_(count|bucket)$/, ''))
const missing = (selectors: Selector[]) =>
  selectors.filter((each) => !isLater(each) && select(fresh, each).length === 0)

test('of the alerts, and counters begin with 0', () => {
  const selectors = readRules().flatMap(({ expr }) => selectorsIn(expr))
  expect(selectors.length).toBeGreaterThan(25)
  expect(missing(selectors)).toEqual([])
  const counters = selectors.filter((each) => each.name.endsWith('_total') && !isLater(each))
  expect(counters.length).toBeGreaterThan(2)
  // A counter with other labels has a series for each of their values.
  for (const each of counters)
    expect(new Set(select(fresh, each).map(({ labels, value }) => `${labels.world} ${value}`))).toEqual(
      new Set(['sandbox 0']),
    )
})

test('of the dashboard', () => {
  const dashboard = readFileSync(new URL('dashboard.json', import.meta.url), 'utf8')
  const queries = [...dashboard.matchAll(/"expr": ("(?:[^"\\]|\\.)*")/g)].map(([, text = '']) =>
    (JSON.parse(text) as string).replaceAll('$world', '.*'),
  )
  expect(queries.length).toBeGreaterThan(10)
  expect(missing(queries.flatMap(selectorsIn))).toEqual([])
})

test('and what is not there is really not there', () => {
  const names = new Set(fresh.map(({ name }) => name))
  // A process that answers its health check has counted that request.
  const absent = Object.keys(LATER).filter((name) => !name.startsWith('kassa_http_'))
  expect(absent.filter((name) => names.has(name) || names.has(`${name}_count`))).toEqual([])
})
