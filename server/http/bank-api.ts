/** Serves the simulated bank's API, which drivers call like the API of any other provider. */
import type { RequestHandler } from 'express'
import { ZodError } from 'zod'
import type { Context } from '../context.ts'
import { rawReader } from './body.ts'

const BYTES_MAX = 16 * 1024
export const BANK_API_PATH = '/sandbox/bank/api'

const readBytes = rawReader(BYTES_MAX)

/** Mounted at BANK_API_PATH. It does not count in the sandbox's share, because the sandbox request that waits for it counts. */
export function serveBankApi(sandbox: Context): RequestHandler {
  return async (request, response) => {
    const { method, path, headers } = request
    try {
      const body = await readBytes(request, response)
      const answer = await sandbox.answerAsBank({ method, path, headers, body })
      response.status(answer.status).type('json').send(answer.text)
    } catch (error) {
      if (error instanceof ZodError || (error as { status?: number }).status)
        return void response.status(400).json({ error: 'the request cannot be read' })
      // The order's fault loses the response, or the database cannot be reached.
      sandbox.log.debug({ err: error }, 'the simulated bank closes the connection')
      request.socket.destroy()
    }
  }
}
