import { CapabilitiesResponse } from '../../contract/capability.ts'
import { WITHOUT_TOKEN } from '../../limits/cost.ts'
import { presentCapabilitiesFor } from '../../payments/capability.ts'
import { endpoint } from '../endpoint.ts'

export const capabilities = endpoint({
  method: 'get',
  path: '/v1/capabilities',
  auth: { kind: 'bearer', scope: 'payments.read' },
  limited: 'lookup',
  stranger: WITHOUT_TOKEN,
  summary: 'What each provider route can do',
  description:
    'Lists every route with its readiness and its missing settings, every capability with the reason if it is not enabled, ' +
    'and each payment status in the words of shop platforms.',
  response: CapabilitiesResponse,
  errors: [],
  async handle(ctx, { merchantId }) {
    return { body: await presentCapabilitiesFor(ctx, merchantId) }
  },
})
