/** Serves the APIs of the sandbox's simulators, which drivers call like the API of any other provider. */
import type { RequestHandler } from 'express'
import { ZodError } from 'zod'
import type { Context } from '../context.ts'
import { readBytes } from './body.ts'

const BYTES_MAX = 16 * 1024
const UNREADABLE = { error: 'the request cannot be read' }

/** Each is mounted at its path. */
export const SIMULATOR_APIS = {
  '/sandbox/bank/api': 'answerAsBank',
  '/sandbox/register/api': 'answerAsRegister',
} as const

/** It does not count in the sandbox's share, because the sandbox request that waits for it counts. */
export function serveSimulator(
  sandbox: Context,
  simulator: (typeof SIMULATOR_APIS)[keyof typeof SIMULATOR_APIS],
): RequestHandler {
  return async (request, response) => {
    const { method, path, headers } = request
    try {
      const body = await readBytes(request, BYTES_MAX)
      if (typeof body === 'string') return void response.status(400).json(UNREADABLE)
      const answer = await sandbox[simulator]({ method, path, headers, body })
      response.status(answer.status).type('json').send(answer.text)
    } catch (error) {
      if (error instanceof ZodError) return void response.status(400).json(UNREADABLE)
      // A fault loses the response, or the database cannot be reached.
      sandbox.log.debug({ err: error, simulator }, 'a simulator closes the connection')
      request.socket.destroy()
    }
  }
}
