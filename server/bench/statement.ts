/**
 * A statement of a million lines is looked at: one pass finds how the file is to be read, and one reads it. Fails above 60 s, or
 * above 64 MB more than at rest. `--lines N` for another length.
 */
import { createReadStream } from 'node:fs'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { previewOf } from '../reports/reading/preview.ts'
import { understand } from '../reports/reading/understand.ts'

const SECONDS_MAX = 60
const MB_MAX = 64
const MB = 1_048_576
const CHUNK_LINES = 10_000

const { values } = parseArgs({ options: { lines: { type: 'string', default: '1000000' } } })
const LINES = Number(values.lines)

const rowOf = (at: number) =>
  `${String((at % 28) + 1).padStart(2, '0')}.11.2026;TX${at};Example ${at % 977};"Transfer for order ${at}, thank you";${at % 7 === 0 ? '-' : ''}${(at % 9_000) + 1},${String(at % 100).padStart(2, '0')};EUR\n`

/** Returns a figure of this process in MB, as Linux tells it. */
async function memory(name: 'VmRSS' | 'VmHWM'): Promise<number> {
  const status = await readFile('/proc/self/status', 'utf8')
  return (Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) * 1_024) / MB
}

const folder = await mkdtemp(join(tmpdir(), 'kassa-statement-'))
try {
  const path = join(folder, 'statement.csv')
  await writeFile(path, 'Buchungstag;Transaction ID;Name;Verwendungszweck;Betrag;Währung\n')
  for (let from = 0; from < LINES; from += CHUNK_LINES) {
    const count = Math.min(CHUNK_LINES, LINES - from)
    const rows = Array.from({ length: count }, (_, at) => rowOf(from + at))
    await writeFile(path, rows.join(''), { flag: 'a' })
  }
  const { size } = await stat(path)
  globalThis.gc?.()
  const rest = await memory('VmRSS')
  // From now on the highest figure counts.
  await writeFile('/proc/self/clear_refs', '5')
  const began = performance.now()
  const cpu = process.cpuUsage()
  const file = { open: () => createReadStream(path) }
  const wanted = {
    own: null,
    chosenFormat: undefined,
    answersOf: async () => ({}),
    timeZone: 'Asia/Yerevan',
    now: new Date(),
  }
  const understanding = await understand(file, wanted)
  if (understanding.questions.length > 0) throw new Error('Bug! The file of the bench leaves something open.')
  const first = (performance.now() - began) / 1_000
  const { preview } = await previewOf(understanding)
  const seconds = (performance.now() - began) / 1_000
  const used = process.cpuUsage(cpu)
  const above = (await memory('VmHWM')) - rest
  console.log(
    `${preview.lines} lines, ${(size / MB).toFixed(0)} MB: first pass ${first.toFixed(1)} s, both ${seconds.toFixed(1)} s (at most ${SECONDS_MAX}), processor ${((used.user + used.system) / 1e6).toFixed(1)} s`,
  )
  console.log(
    `memory: ${rest.toFixed(0)} MB at rest, ${above.toFixed(0)} MB above it at most (at most ${MB_MAX})`,
  )
  if (preview.lines !== LINES || seconds > SECONDS_MAX || above > MB_MAX) process.exitCode = 1
} finally {
  await rm(folder, { recursive: true })
}
