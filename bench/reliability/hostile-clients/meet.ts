import type { GatewayAddresses } from '../../../reference-server/integration/gateway-process.ts'
import type { Gateway } from './input.ts'
import { signIn } from './sign-in.ts'

/** Opens an account with keys and signs people in, so that inputs come from those who may, too. */
export async function meet(addresses: GatewayAddresses): Promise<Gateway> {
  const { baseUrl, controlUrl, controlToken, dashboardUrl, metricsUrl, operatorPassword } = addresses
  const control = async (method: string, path: string, body?: object): Promise<Readonly<Record<string, string>>> => {
    const response = await fetch(`${controlUrl}/control/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${controlToken}` },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return response.status === 204 ? {} : ((await response.json()) as Readonly<Record<string, string>>)
  }
  const { id: accountId = '' } = await control('POST', '/accounts', { name: 'anybody', creditUsd: '10000' })
  const { key = '' } = await control('POST', `/accounts/${accountId}/keys`, { name: 'a key' })
  const deleted = await control('POST', `/accounts/${accountId}/keys`, { name: 'a deleted key' })
  await control('DELETE', `/keys/${deleted['id']}`)
  const portOf = (url: string): number => Number(new URL(url).port)
  return {
    ports: {
      api: portOf(baseUrl),
      control: portOf(controlUrl),
      dashboard: portOf(dashboardUrl),
      metrics: portOf(metricsUrl),
    },
    key,
    deletedKey: deleted['key'] ?? '',
    controlToken,
    accountId,
    owner: await signIn(dashboardUrl, '/sign-up', { email: 'owner@example.org', password: 'correct horse battery' }),
    operator: await signIn(dashboardUrl, '/operator/sign-in', { password: operatorPassword }),
  }
}
