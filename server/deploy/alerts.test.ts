/** The alert rules: each fires when it should and is silent otherwise, and each names metrics and a sheet that exist. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { readGuides } from '../http/docs/guides.ts'
import { createPrometheus } from '../metrics/prometheus.ts'
import { findProgram } from '../testing/pooler.ts'

const FILE = fileURLToPath(new URL('alerts.yml', import.meta.url))
/** A dashboard for Grafana. */
const dashboard = readFileSync(new URL('dashboard.json', import.meta.url), 'utf8')
const rules = readFileSync(FILE, 'utf8')
const ALERTS = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name)

type Series = Record<string, string>
const requests = (status: string, rate: number, le = '') =>
  `kassa_http_request_duration_seconds_${le ? 'bucket' : 'count'}{world="live",endpoint="/v1/payments",method="get",status="${status}"${le && `,le="${le}"`}} ${rate}`
const line = (text: string): Series => {
  const [series = '', rate = '0'] = text.split(/ (?=\d+$)/)
  return { [series]: `0+${rate}x40` }
}
const provider = (account: string, result: string, rate: number): Series =>
  line(
    `kassa_provider_request_duration_seconds_count{world="live",account="${account}",result="${result}"} ${rate}`,
  )
const gauge = (name: string, value: number, labels = ''): Series => ({
  [`${name}{world="live"${labels}}`]: `${value}x40`,
})

/** What makes each alert fire within 40 minutes, and what does not: one series of values a minute each. */
const CASES: Record<string, { fires: Series; silent: Series }> = {
  KassaDown: { fires: { 'up{job="kassa"}': '0x40' }, silent: { 'up{job="kassa"}': '1x40' } },
  KassaNotReady: { fires: gauge('kassa_ready', 0), silent: gauge('kassa_ready', 1) },
  KassaServerErrors: {
    fires: { ...line(requests('200', 950)), ...line(requests('503', 50)) },
    silent: { ...line(requests('200', 995)), ...line(requests('503', 5)), ...line(requests('501', 50)) },
  },
  KassaSlow: {
    fires: {
      ...line(requests('200', 90, '2.5')),
      ...line(requests('200', 100, '5')),
      ...line(requests('200', 100, '+Inf')),
    },
    silent: { ...line(requests('200', 100, '2.5')), ...line(requests('200', 100, '+Inf')) },
  },
  KassaConnectionsShort: {
    fires: gauge('kassa_database_connections', 3, ',state="waiting"'),
    silent: gauge('kassa_database_connections', 3, ',state="busy"'),
  },
  KassaProviderAway: {
    fires: { 'kassa_provider_breaker_changes_total{world="live",state="open"}': '0x30 1x10' },
    silent: { 'kassa_provider_breaker_changes_total{world="live",state="closed"}': '0x30 1x10' },
  },
  KassaAccountFailing: {
    fires: { ...provider('acc_1', 'answered', 70), ...provider('acc_1', 'denied', 30) },
    silent: {
      ...provider('acc_1', 'answered', 90),
      ...provider('acc_1', 'denied', 5),
      ...provider('acc_1', 'failed', 5),
    },
  },
  KassaQuestionsOverdue: {
    fires: gauge('kassa_questions_overdue', 1),
    silent: gauge('kassa_questions_overdue', 0),
  },
  KassaWorkerStuck: {
    fires: gauge('kassa_queue_oldest_due_seconds', 301),
    silent: gauge('kassa_queue_oldest_due_seconds', 200),
  },
  KassaEventsWaiting: {
    fires: gauge('kassa_events_oldest_undelivered_seconds', 3700),
    silent: gauge('kassa_events_oldest_undelivered_seconds', 3000),
  },
  KassaReceiverPaused: {
    fires: gauge('kassa_receivers_paused', 1),
    silent: gauge('kassa_receivers_paused', 0),
  },
  KassaPaymentsUndecided: {
    fires: { 'kassa_payments_undecided{world="live"}': '1x100' },
    silent: { 'kassa_payments_undecided{world="live"}': '1x10 0x90' },
  },
  KassaOperationsInReview: {
    fires: gauge('kassa_operations_in_review', 1),
    silent: gauge('kassa_operations_in_review', 0),
  },
  KassaRefundUndone: {
    fires: { 'kassa_refunds_undone_total{world="live"}': '0x20 1x20' },
    silent: { 'kassa_refunds_undone_total{world="live"}': '1x40' },
  },
  KassaReceiptsFailed: {
    fires: gauge('kassa_receipts_failed', 1),
    silent: gauge('kassa_receipts_failed', 0),
  },
  KassaWrongMode: {
    fires: { 'kassa_wrong_mode_answers_total{world="live"}': '0x20 1x20' },
    silent: { 'kassa_wrong_mode_answers_total{world="live"}': '1x40' },
  },
  KassaMailsFailed: {
    fires: { 'kassa_mails{world="live",state="failed"}': '2x20 3x20' },
    silent: { 'kassa_mails{world="live",state="failed"}': '2x40' },
  },
  KassaDiskFull: {
    fires: gauge('kassa_disk_free_bytes', 900_000_000),
    silent: gauge('kassa_disk_free_bytes', 1_100_000_000),
  },
  KassaClockWrong: {
    fires: gauge('kassa_clock_offset_seconds', -6),
    silent: gauge('kassa_clock_offset_seconds', 4),
  },
  KassaBackupOld: {
    fires: { 'kassa_backup_age_seconds{world="live"}': '93601x100' },
    silent: { 'kassa_backup_age_seconds{world="live"}': '86400x100' },
  },
}

/** These wait for an hour before they fire. */
const LONG = ['KassaPaymentsUndecided', 'KassaBackupOld']

test('each alert has a case that fires it and one that does not', () => {
  expect(Object.keys(CASES).sort()).toEqual([...ALERTS].sort())
})

const promtool = findProgram('promtool')
if (!promtool) console.error('The alerts are not tried: promtool is not installed.')

describe.skipIf(!promtool)('with promtool', () => {
  test('every alert fires in its case, and is silent in the other', () => {
    const folder = mkdtempSync(join(tmpdir(), 'kassa-alerts-'))
    const tests = Object.entries(CASES).flatMap(([alert, { fires, silent }]) =>
      [fires, silent].map((series, index) => ({
        interval: '1m',
        input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
        promql_expr_test: [
          {
            expr: `count(ALERTS{alertname="${alert}",alertstate="firing"}) or vector(0)`,
            eval_time: LONG.includes(alert) ? '90m' : '38m',
            exp_samples: [{ labels: '{}', value: index === 0 ? 1 : 0 }],
          },
        ],
      })),
    )
    // Every JSON text is YAML as well.
    writeFileSync(join(folder, 'test.yml'), JSON.stringify({ rule_files: [FILE], tests }))
    const said = execFileSync(promtool ?? '', ['test', 'rules', join(folder, 'test.yml')], {
      encoding: 'utf8',
    })
    expect(said).toContain('SUCCESS')
    rmSync(folder, { recursive: true })
  })

  test('every query of the dashboard can be parsed', () => {
    const queries = [...dashboard.matchAll(/"expr": ("(?:[^"\\]|\\.)*")/g)].map(([, text = '']) =>
      JSON.parse(text).replaceAll('$__rate_interval', '5m'),
    )
    expect(queries.length).toBeGreaterThan(10)
    const folder = mkdtempSync(join(tmpdir(), 'kassa-dashboard-'))
    const recorded = queries.map((expr, index) => ({ record: `query_${index}`, expr }))
    writeFileSync(
      join(folder, 'rules.yml'),
      JSON.stringify({ groups: [{ name: 'dashboard', rules: recorded }] }),
    )
    const said = execFileSync(promtool ?? '', ['check', 'rules', join(folder, 'rules.yml')], {
      encoding: 'utf8',
    })
    expect(said).toContain(`${queries.length} rules found`)
    rmSync(folder, { recursive: true })
  })
})

describe('the names in the rules and in the guide', () => {
  const prometheus = createPrometheus({
    live: {
      queue: async () => ({ due: 0, later: 0, oldestDueSeconds: 0 }),
      work: () => Promise.reject(new Error('not asked')),
      mails: () => Promise.reject(new Error('not asked')),
      connections: () => ({ busy: 0, idle: 0, waiting: 0 }),
      waiting: () => 0,
      isReady: async () => true,
      machine: async () => null,
    },
  })
  const served = async () =>
    [...(await prometheus.text()).matchAll(/^# HELP (kassa_\w+)/gm)].map(([, name = '']) => name).sort()
  const guides = readGuides(() => true)
  const monitoring = readFileSync(new URL('../guides/monitoring.md', import.meta.url), 'utf8')

  test('are those of metrics that the service has', async () => {
    const names = [...`${rules}${dashboard}`.matchAll(/\bkassa_\w+/g)].map(([name]) =>
      name.replace(/_(count|bucket)$/, ''),
    )
    const known = await served()
    expect(names.filter((name) => !known.includes(name))).toEqual([])
    // Whatever is measured is on the dashboard.
    expect(known.filter((name) => !dashboard.includes(name))).toEqual([])
    expect([...monitoring.matchAll(/^\| `(kassa_\w+)`/gm)].map(([, name = '']) => name).sort()).toEqual(known)
  })

  test('whose increase is watched have a value before anything has happened', async () => {
    const fresh = await prometheus.text()
    const watched = [...rules.matchAll(/increase\((\w+)(?:\{(.*?)\})?\[/g)]
    expect(watched.length).toBeGreaterThan(1)
    for (const [, name, labels] of watched) {
      const all = [...(labels ? [labels] : []), 'world="live"'].sort().join()
      const shown = fresh
        .split('\n')
        .map((text) => text.replace(/\{(.*)\}/, (_, given) => given.split(',').sort().join()))
      expect(shown).toContain(`${name}${all} 0`)
    }
  })

  test('are those of all alerts', () => {
    expect([...monitoring.matchAll(/^\| `(Kassa\w+)`/gm)].map(([, name]) => name).sort()).toEqual(
      [...ALERTS].sort(),
    )
  })

  test('lead to a sheet that exists', () => {
    for (const [, path = '', anchor = ''] of rules.matchAll(/sheet: (\/docs\/[a-z-]+)#(\S+)/g)) {
      const guide = guides.find((each) => each.path === path)
      expect([path, anchor, guide?.headings.some(({ id }) => id === anchor)]).toEqual([path, anchor, true])
    }
    expect(rules.match(/sheet:/g)).toHaveLength(ALERTS.length)
  })
})
