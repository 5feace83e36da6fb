/** Runs the whole service in the test's process, for tests that need neither a signal nor an exit code. */
import { explain, serve } from '../serve.ts'
import { freePort, TEST_SETTINGS } from './harness.ts'

export type ServedHere = {
  url: string
  /** Everything that the service printed, its log included. */
  output(): string
  /** Stops it as SIGTERM does. Fails if a process would have exited with an error. */
  stop(): Promise<void>
}

/**
 * Starts what `main.ts` starts, with only these settings. It takes a tenth of the CPU time of `spawnKassa`, and has the same
 * settings by default. It shares nothing with another service but the database. Rejects with all that was printed if the start
 * fails.
 */
export async function serveHere(settings: Record<string, string>): Promise<ServedHere> {
  const PORT = settings.PORT ?? String(await freePort())
  const stopping = new AbortController()
  const ended = Promise.withResolvers<number>()
  let text = ''
  const print = (line: string) => {
    text += `${line.trimEnd()}\n`
  }
  try {
    await serve({
      environment: { ...TEST_SETTINGS, ...settings, PORT },
      stopping: stopping.signal,
      out: print,
      err: print,
      exit: ended.resolve,
      logTo: print,
    })
  } catch (error) {
    throw new Error(`Kassa did not start:\n${text}${explain(error)}`)
  }
  return {
    url: `http://127.0.0.1:${PORT}`,
    output: () => text,
    async stop() {
      stopping.abort()
      const code = await ended.promise
      if (code !== 0) throw new Error(`Kassa stopped with ${code}:\n${text}`)
    },
  }
}
