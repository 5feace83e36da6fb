/** Serves the APIs of the sandbox's simulators, which drivers call like the API of any other provider. */
import type { RequestHandler } from 'express'
import { ZodError } from 'zod'
import type { Context } from '../context.ts'
import { rawReader } from './body.ts'

const BYTES_MAX = 16 * 1024

/** Each is mounted at its path. */
export const SIMULATOR_APIS = {
  '/sandbox/bank/api': 'answerAsBank',
  '/sandbox/register/api': 'answerAsRegister',
} as const

const readBytes = rawReader(BYTES_MAX)

/** It does not count in the sandbox's share, because the sandbox request that waits for it counts. */
export function serveSimulator(
  sandbox: Context,
  simulator: (typeof SIMULATOR_APIS)[keyof typeof SIMULATOR_APIS],
): RequestHandler {
  return async (request, response) => {
    const { method, path, headers } = request
    try {
      const body = await readBytes(request, response)
      const answer = await sandbox[simulator]({ method, path, headers, body })
      response.status(answer.status).type('json').send(answer.text)
    } catch (error) {
      if (error instanceof ZodError || (error as { status?: number }).status)
        return void response.status(400).json({ error: 'the request cannot be read' })
      // A fault loses the response, or the database cannot be reached.
      sandbox.log.debug({ err: error, simulator }, 'a simulator closes the connection')
      request.socket.destroy()
    }
  }
}
