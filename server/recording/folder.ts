/**
 * A recording as a folder: README.txt, recording.json with the calls of the driver, and one file for each request with its response. The
 * conformance suite replays such a folder.
 */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { AppError } from '../errors.ts'
import type { RecordedCall, RecordedExchange } from '../providers/driver/proof.ts'

/** `from`: whether a simulator of this project was recorded, or a provider. `steps`: the setting STEPS of the account. */
export type Recording = {
  driver: string
  version: string
  from: 'provider' | 'simulator'
  steps: string | null
  calls: RecordedCall[]
}

const INDEX = 'recording.json'
const Index = z.object({
  driver: z.string(),
  version: z.string(),
  from: z.enum(['provider', 'simulator']),
  steps: z.string().nullable(),
  calls: z.array(z.object({ exchanges: z.array(z.string()) }).loose()),
})

/** @throws AppError validation_failed if something is in the folder already, or if it cannot be written */
export async function expectEmpty(folder: string): Promise<void> {
  let found: string[] = []
  try {
    await mkdir(folder, { recursive: true })
    found = await readdir(folder)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new AppError('validation_failed', { message: `The folder ${folder} cannot be written (${code}).` })
  }
  if (found.length > 0)
    throw new AppError('validation_failed', {
      message: `There is something in ${folder} already. Name a new folder: nothing is overwritten.`,
    })
}

/** Returns how many files were written. @throws AppError validation_failed */
export async function writeRecording(folder: string, recording: Recording): Promise<number> {
  await expectEmpty(folder)
  let files = 0
  const write = async (name: string, text: string) => {
    // A file that exists is never replaced, also not one that was made meanwhile.
    await writeFile(join(folder, name), text, { flag: 'wx', mode: 0o644 })
    files++
  }
  const calls: object[] = []
  for (const { exchanges, ...call } of recording.calls) {
    const names: string[] = []
    for (const exchange of exchanges) {
      const name = `${String(files + 1).padStart(3, '0')}-${exchange.method.toLowerCase()}.json`
      await write(name, asJson(exchange))
      names.push(name)
    }
    calls.push({ ...call, exchanges: names })
  }
  await write(INDEX, asJson({ ...recording, calls }))
  await write('README.txt', readmeOf(recording))
  return files
}

/** @throws Error for a folder that is no recording */
export async function readRecording(folder: string): Promise<Recording> {
  const readJson = async (name: string): Promise<unknown> =>
    JSON.parse(await readFile(join(folder, name), 'utf8'))
  const { calls, ...index } = Index.parse(await readJson(INDEX))
  const read: RecordedCall[] = []
  for (const { exchanges: names, ...call } of calls) {
    const exchanges: RecordedExchange[] = []
    for (const name of names) exchanges.push((await readJson(name)) as RecordedExchange)
    read.push({ ...(call as Omit<RecordedCall, 'exchanges'>), exchanges })
  }
  return { ...index, calls: read }
}

const asJson = (value: object) => `${JSON.stringify(value, null, 2)}\n`

function readmeOf({ driver, version, from, calls }: Recording): string {
  const source =
    from === 'simulator'
      ? `This is a recording of the simulated ${driver} of the project itself, not of the provider.`
      : `This is a recording of a test account at the provider, made with the driver ${driver}.`
  return `${source}
Version of Kassa: ${version}. Calls of the driver: ${calls.length}.

Each numbered file is one request to the provider with its response. recording.json lists the calls of the driver, what it was given and
what it returned.

Kept are: names of fields, amounts, currencies, times, statuses and codes from a list of the driver, true, false and null. Everything else
is a stand-in: each letter and digit was replaced by another one. The same word has the same stand-in, so ids still match each other. Access
tokens, credentials and most headers were not recorded at all.

Before you hand this folder to anybody:
1. Search all files for your account's id, your e-mail address, your name, your domain and the beginning of your secret key. Nothing of
   these may be found.
2. Read the names of the fields. A provider can put private words into a name of a field of its own. Delete the folder if you find one.
3. Look at the times and amounts. They are real, and they are those of the test orders only.

Nothing was sent to anybody. If you are content, hand the whole folder over as the guide "Proving an account" says.
`
}
