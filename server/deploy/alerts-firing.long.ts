/**
 * Every alert fires when its cause happens to a running service, and ends when the cause is mended. A real Prometheus scrapes real
 * processes. Its rules are those of alerts.yml with all waiting times and windows divided by FACTOR, so one minute takes a second.
 * It prints how long each alert took.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { bankScene } from '../testing/alerts/bank-scene.ts'
import { connectionsScene, slowScene } from '../testing/alerts/load-scenes.ts'
import { databaseScene, diskScene, processScene } from '../testing/alerts/machine-scenes.ts'
import { type Prometheus, startPrometheus } from '../testing/alerts/prometheus.ts'
import { readRules, shortenRules } from '../testing/alerts/rules.ts'
import type { Cause, Scene } from '../testing/alerts/scene.ts'
import { decisionScene, workerScene } from '../testing/alerts/work-scenes.ts'
import { findProgram } from '../testing/pooler.ts'

const FACTOR = 60
const FIRES_WITHIN_MS = 180_000
const ENDS_WITHIN_MS = 120_000
const QUIET_MS = 15_000
const POLL_MS = 250

const program = findProgram('prometheus')
const mayMount = process.getuid?.() === 0 && process.platform === 'linux'
if (!program) console.error('The alerts are not tried: prometheus is not installed.')
else if (!mayMount) console.error('The alerts are not tried: only root may mount the small disk.')

const addressOf = ({ target }: Scene) => `127.0.0.1:${target.port}`

type Row = { alert: string; cause: string; fired: number | null; ended: number | null }

/** Waits until the alert of this scene fires, or until it does not. Returns the seconds, or null if it takes too long. */
async function watch(
  prometheus: Prometheus,
  scene: Scene,
  { alert, fires, withinMs }: { alert: string; fires: boolean; withinMs: number },
): Promise<number | null> {
  const started = performance.now()
  while (performance.now() - started < withinMs) {
    const found = (await prometheus.firing()).some(
      (each) => each.alert === alert && [undefined, addressOf(scene)].includes(each.instance),
    )
    if (found === fires) return (performance.now() - started) / 1000
    await sleep(POLL_MS)
  }
  return null
}

/** Brings the cause about, waits for its alerts, mends it, and waits until they are over. */
async function bringAbout(prometheus: Prometheus, scene: Scene, cause: Cause): Promise<Row[]> {
  const ended = new AbortController()
  const all = (fires: boolean, withinMs: number) =>
    Promise.all(cause.alerts.map((alert) => watch(prometheus, scene, { alert, fires, withinMs })))
  let [fired, over]: (number | null)[][] = [[], []]
  try {
    const begun = performance.now()
    await cause.begin(ended.signal)
    const beginSeconds = (performance.now() - begun) / 1000
    fired = (await all(true, FIRES_WITHIN_MS)).map((each) => each && each + beginSeconds)
    ended.abort()
    await cause.mend?.()
    over = await all(false, ENDS_WITHIN_MS)
  } catch (error) {
    console.error(`${cause.what}: ${String(error)}`)
  }
  ended.abort()
  return cause.alerts.map((alert, at) => ({
    alert,
    cause: cause.what,
    fired: fired?.[at] ?? null,
    ended: over?.[at] ?? null,
  }))
}

async function play(prometheus: Prometheus, scene: Scene): Promise<Row[]> {
  const rows: Row[] = []
  for (const cause of scene.causes) rows.push(...(await bringAbout(prometheus, scene, cause)))
  return rows
}

function print(rows: readonly Row[]): void {
  const seconds = (value: number | null) => (value === null ? 'never' : value.toFixed(1)).padStart(6)
  const lines = rows
    .toSorted((one, other) => (one.alert < other.alert ? -1 : 1))
    .map(
      ({ alert, cause, fired, ended }) => `${alert.padEnd(26)}${seconds(fired)}${seconds(ended)}  ${cause}`,
    )
  console.log(
    `${'alert'.padEnd(26)} fired ended  cause (seconds; 1 minute of the rules is 1 second)\n${lines.join('\n')}`,
  )
}

test.skipIf(!program || !mayMount)('every alert fires when its cause happens, and ends', async () => {
  const opened = await Promise.allSettled(
    [
      processScene,
      databaseScene,
      diskScene,
      slowScene,
      connectionsScene,
      bankScene,
      workerScene,
      decisionScene,
    ].map((open) => open()),
  )
  const scenes = opened.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
  let prometheus: Prometheus | null = null
  try {
    for (const each of opened) if (each.status === 'rejected') throw each.reason
    const rules = readRules()
    prometheus = await startPrometheus(
      program ?? '',
      shortenRules(rules, FACTOR),
      scenes.map(({ target }) => target),
    )
    await sleep(QUIET_MS)
    // A value that is scraped every few seconds outlasts the shortened waiting times, however short its cause was.
    const rare = scenes.filter(({ target }) => target.everySeconds > 1).map(addressOf)
    const quiet = (await prometheus.firing()).filter(({ instance = '' }) => !rare.includes(instance))
    expect(quiet).toEqual([])
    const running = prometheus
    const [processes, ...others] = scenes
    // A busy machine could not start a process three times within the shortened window.
    const first = processes ? await play(running, processes) : []
    const rows = [...first, ...(await Promise.all(others.map((scene) => play(running, scene)))).flat()]
    print(rows)
    expect(rows.filter(({ fired, ended }) => fired === null || ended === null)).toEqual([])
    expect(rows.map(({ alert }) => alert).sort()).toEqual(rules.map(({ alert }) => alert).sort())
  } finally {
    await prometheus?.close()
    await Promise.all(scenes.map((scene) => scene.close()))
  }
})
