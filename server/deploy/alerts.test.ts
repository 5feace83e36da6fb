/** The alert rules: each fires when it should and is silent otherwise, and each names metrics and a sheet that exist. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseArguments } from '../admin/parser.ts'
import { readGuides } from '../documents/guides.ts'
import { createPrometheus } from '../metrics/prometheus.ts'
import { LIMITS } from '../operator/examination.ts'
import { RULES_FILE, readRules } from '../testing/alerts/rules.ts'
import { commandsOf } from '../testing/documents/shell-lines.ts'
import { findProgram } from '../testing/pooler.ts'

/** A dashboard for Grafana. */
const dashboard = readFileSync(new URL('dashboard.json', import.meta.url), 'utf8')
const rules = readFileSync(RULES_FILE, 'utf8')
const RULES = readRules()
const ALERTS = RULES.map(({ alert }) => alert)

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
const breaker = (open: string, closed: string): Series => ({
  'kassa_provider_breaker_changes_total{world="live",state="open"}': open,
  'kassa_provider_breaker_changes_total{world="live",state="closed"}': closed,
})
const unwell = (state: string, values: string): Series => ({
  [`kassa_accounts_unwell{world="live",state="${state}"}`]: values,
})
const gauge = (name: string, value: number, labels = ''): Series => ({
  [`${name}{world="live"${labels}}`]: `${value}x40`,
})

/** What makes each alert fire within 40 minutes, and what does not: one series of values a minute each. */
const CASES: Record<string, { fires: Series; silent: Series }> = {
  KassaDown: { fires: { 'up{job="kassa"}': '0x40' }, silent: { 'up{job="kassa"}': '1x40' } },
  KassaNotReady: { fires: gauge('kassa_ready', 0), silent: gauge('kassa_ready', 1) },
  KassaRestarting: {
    fires: { 'process_start_time_seconds{job="kassa"}': '1x30 2 3 4x8' },
    silent: { 'process_start_time_seconds{job="kassa"}': '1x10 2x15 3x15' },
  },
  KassaReadingsMissing: {
    fires: gauge('kassa_ready', 1, ',instance="a"'),
    silent: {
      ...gauge('kassa_ready', 1, ',instance="a"'),
      ...gauge('kassa_questions_overdue', 0, ',instance="a"'),
    },
  },
  KassaDatabaseMoved: { fires: gauge('kassa_database_moved', 1), silent: gauge('kassa_database_moved', 0) },
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
  KassaAccountAway: { fires: unwell('away', '0x20 1x20'), silent: unwell('away', '0x20 1 0x19') },
  // An account that is accepted and refused in turns.
  KassaAccountRefused: {
    fires: unwell('refusing', '0x20 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0'),
    silent: unwell('refusing', '0x20 1 0x19'),
  },
  KassaAccountUnopenable: {
    fires: unwell('unopenable', '0x20 1x20'),
    silent: unwell('away', '0x20 1x20'),
  },
  KassaAccountUnclear: {
    fires: unwell('unclear', '0x20 1x20'),
    silent: unwell('unclear', '0x20 1 0x19'),
  },
  KassaProviderUnsteady: {
    fires: breaker('0x30 1x10', '0x31 1x9'),
    silent: breaker('1x40', '0x30 1x10'),
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
  KassaSettledQuestionsLate: {
    fires: gauge('kassa_settled_questions_oldest_seconds', 21_601),
    silent: gauge('kassa_settled_questions_oldest_seconds', 20_000),
  },
  KassaOperationsOverdue: {
    fires: gauge('kassa_operations_overdue', 1),
    silent: gauge('kassa_operations_overdue', 0),
  },
  KassaRenewalsOverdue: {
    fires: gauge('kassa_renewals_overdue', 1),
    silent: gauge('kassa_renewals_overdue', 0),
  },
  KassaWorkerStuck: {
    fires: gauge('kassa_queue_oldest_due_seconds', 121),
    silent: gauge('kassa_queue_oldest_due_seconds', 110),
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
    fires: { 'kassa_payments_undecided{world="live"}': '1x40' },
    silent: { 'kassa_payments_undecided{world="live"}': '1x10 0x30' },
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
  KassaCardTesting: {
    fires: {
      'kassa_declines_total{world="live",result="declined"}': '0+2x40',
      'kassa_declines_total{world="live",result="held_back"}': '0+3x40',
      'kassa_payment_status_changes_total{world="live",to="paid",cause="provider"}': '0+1x40',
    },
    silent: {
      'kassa_declines_total{world="live",result="declined"}': '0+5x40',
      'kassa_payment_status_changes_total{world="live",to="paid",cause="provider"}': '0+20x40',
    },
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
    fires: gauge('kassa_backup_age_seconds', 93_601),
    silent: gauge('kassa_backup_age_seconds', 86_400),
  },
  KassaRestoreOpen: {
    fires: gauge('kassa_restore_open', 1),
    silent: gauge('kassa_restore_open', 0),
  },
  KassaBackupMissing: {
    fires: { 'kassa_disk_free_bytes{world="live",instance="a"}': '5e9x130' },
    silent: {
      'kassa_disk_free_bytes{world="live",instance="a"}': '5e9x130',
      'kassa_backup_age_seconds{world="live",instance="a"}': '60x130',
    },
  },
}

/** It waits for two hours before it fires. */
const LONG = ['KassaBackupMissing']

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
            eval_time: LONG.includes(alert) ? '125m' : '38m',
            exp_samples: [{ labels: '{}', value: index === 0 ? 1 : 0 }],
          },
        ],
      })),
    )
    // Every JSON text is YAML as well.
    writeFileSync(join(folder, 'test.yml'), JSON.stringify({ rule_files: [RULES_FILE], tests }))
    const output = execFileSync(promtool ?? '', ['test', 'rules', join(folder, 'test.yml')], {
      encoding: 'utf8',
    })
    expect(output).toContain('SUCCESS')
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
    const output = execFileSync(promtool ?? '', ['check', 'rules', join(folder, 'rules.yml')], {
      encoding: 'utf8',
    })
    expect(output).toContain(`${queries.length} rules found`)
    rmSync(folder, { recursive: true })
  })
})

describe('the names in the rules and in the guide', () => {
  const prometheus = createPrometheus({
    live: {
      queue: async () => ({ due: 0, later: 0, oldestDueSeconds: 0 }),
      work: () => Promise.reject(new Error('not asked')),
      mails: () => Promise.reject(new Error('not asked')),
      health: () => Promise.reject(new Error('not asked')),
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

describe('the next command of each alert', () => {
  const PROGRAMS = ['journalctl', 'timedatectl', 'df']
  const launcher = readFileSync(new URL('../release/kassa', import.meta.url), 'utf8')

  test.each(RULES)('$alert', ({ next }) => {
    const filled = next.replaceAll('{{ $labels.world }}', 'sandbox')
    expect(filled).not.toContain('{{')
    const [{ words = [] } = {}] = commandsOf(filled)
    const [program = '', verb = '', ...rest] = words
    if (program !== '/opt/kassa/kassa') return expect(PROGRAMS).toContain(program)
    expect(launcher).toMatch(new RegExp(`^  ${verb}\\) `, 'm'))
    const args = verb === 'admin' ? rest : ['service', verb, ...rest]
    expect(parseArguments(args, { out: () => {}, err: () => {} })).not.toBeNull()
  })
})

test('the limits of the alerts are those of the doctor', () => {
  // Tries to sign in with unknown addresses are no alert: they need nobody at night.
  const { unknownSignIns: _, ...alerting } = LIMITS
  const limit = (alert: string) =>
    Number(/[<>] ([\d.e]+)$/.exec(RULES.find((rule) => rule.alert === alert)?.expr ?? '')?.[1])
  expect({
    clockSeconds: limit('KassaClockWrong'),
    freeBytes: limit('KassaDiskFull'),
    backupSeconds: limit('KassaBackupOld'),
    deliverySeconds: limit('KassaEventsWaiting'),
    jobSeconds: limit('KassaWorkerStuck'),
    settledSeconds: limit('KassaSettledQuestionsLate'),
  }).toEqual(alerting)
})
