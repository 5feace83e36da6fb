import { CapabilitiesResponse } from '../../contract/capability.ts'
import { presentCapabilities } from '../../payments/capability.ts'
import { endpoint } from '../endpoint.ts'

export const capabilities = endpoint({
  method: 'get',
  path: '/v1/capabilities',
  auth: { kind: 'bearer', scope: 'payments.read' },
  limited: 'lookup',
  summary: 'What each provider route can do',
  description:
    'Every route with its readiness and the settings that it misses, every capability with the reason why it is not to be ' +
    "had, and the words in which shop platforms speak of a payment's status.",
  response: CapabilitiesResponse,
  errors: [],
  async handle(ctx) {
    return { body: presentCapabilities(ctx) }
  },
})
