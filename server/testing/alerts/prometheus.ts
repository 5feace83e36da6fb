/** A real Prometheus that scrapes services of a test, with the shortened alert rules. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../harness.ts'
import { endProcess, startProgram } from '../processes/child-process.ts'

/** `everySeconds`: also the time limit of a scrape. */
export type Target = { port: number; everySeconds: number }
type Firing = { alert: string; instance: string | undefined; world: string | undefined }
export type Prometheus = {
  /** Returns the alerts that fire now. */
  firing(): Promise<Firing[]>
  close(): Promise<void>
}

const READY_WITHIN_MS = 60_000

/** `rules`: the text of the rule file. */
export async function startPrometheus(
  program: string,
  rules: string,
  targets: readonly Target[],
): Promise<Prometheus> {
  const folder = await mkdtemp(join(tmpdir(), 'kassa-prometheus-'))
  await writeFile(join(folder, 'rules.yml'), rules)
  await writeFile(join(folder, 'prometheus.yml'), configOf(targets))
  const port = await freePort()
  const child = startProgram(
    program,
    [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=warn',
    ],
    { env: { PATH: process.env.PATH } },
  )
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  const url = `http://127.0.0.1:${port}`
  const deadline = performance.now() + READY_WITHIN_MS
  while (
    !(await fetch(`${url}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    ))
  ) {
    if (child.exitCode !== null || performance.now() > deadline)
      throw new Error(`Prometheus is not ready:\n${output}`)
    await sleep(100)
  }
  return {
    firing: () => readFiring(url),
    async close() {
      await endProcess(child, 'SIGTERM')
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Each target has a job of its own, because its scrapes may take another time. The rules ask for the job "kassa". */
function configOf(targets: readonly Target[]): string {
  return JSON.stringify({
    global: { evaluation_interval: '500ms' },
    rule_files: ['rules.yml'],
    scrape_configs: targets.map(({ port, everySeconds }) => ({
      job_name: `kassa-${port}`,
      scrape_interval: `${everySeconds}s`,
      scrape_timeout: `${everySeconds}s`,
      static_configs: [{ targets: [`127.0.0.1:${port}`] }],
      relabel_configs: [{ target_label: 'job', replacement: 'kassa' }],
    })),
  })
}

async function readFiring(url: string): Promise<Firing[]> {
  const { data } = (await (await fetch(`${url}/api/v1/alerts`)).json()) as {
    data: { alerts: { labels: Record<string, string>; state: string }[] }
  }
  return data.alerts
    .filter(({ state }) => state === 'firing')
    .map(({ labels }) => ({ alert: labels.alertname ?? '', instance: labels.instance, world: labels.world }))
}

export type Series = { name: string; labels: Record<string, string>; value: number }
export type Selector = { name: string; matchers: [label: string, operator: string, value: string][] }

export function parseSeries(text: string): Series[] {
  return text.split('\n').flatMap((line) => {
    const [, name, inside = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
    if (!name) return []
    const labels = [...inside.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label, text]) => [label, text])
    return [{ name, labels: Object.fromEntries(labels), value: Number(value) }]
  })
}

/** Returns what a query selects of Kassa's metrics and of those of its processes. */
export function selectorsIn(query: string): Selector[] {
  return [...query.matchAll(/\b((?:kassa|process)_\w+)(?:\{(.*?)\})?/g)].map(
    ([, name = '', inside = '']) => ({
      name,
      matchers: [...inside.matchAll(/(\w+)(=~|!~|!=|=)"(.*?)"/g)].map(
        ([, label = '', operator = '', value = '']) => [label, operator, value],
      ),
    }),
  )
}

/** Labels that Prometheus itself adds are left out. */
export function select(series: readonly Series[], { name, matchers }: Selector): Series[] {
  return series.filter(
    (each) =>
      each.name === name &&
      matchers.every(([label, operator, value]) => {
        if (label === 'job' || label === 'instance') return true
        const isEqual = operator.endsWith('~')
          ? new RegExp(`^(?:${value})$`).test(each.labels[label] ?? '')
          : each.labels[label] === value
        return operator.startsWith('!') ? !isEqual : isEqual
      }),
  )
}
