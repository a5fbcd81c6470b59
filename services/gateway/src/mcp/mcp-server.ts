import {
  createMcpHandler,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
  Server,
  type Tool,
} from '@modelcontextprotocol/server';
import { type ApiScope, type ApiTool, apiTools, contractsVersion, type Failure } from '@sigcast/contracts';

/** What a message of a client asks of the API: a tool's call, or a resource. */
export type McpCall = { readonly tool: ApiTool; readonly given: Readonly<Record<string, unknown>> };

/** The API's answer to a call: its JSON, and what it says. */
export type ApiAnswer = {
  readonly text: string;
  readonly body: Failure | { readonly success: true };
};

const eventsUri = 'sigcast://events';
const signalUri = /^sigcast:\/\/signals\/([^/?#]+)$/;
const mimeType = 'application/json';

const resources = [
  {
    uri: eventsUri,
    name: 'events',
    title: 'The newest events',
    description: 'The 20 newest events about signals, newest first.',
    mimeType,
  },
];
const resourceTemplates = [
  {
    uriTemplate: 'sigcast://signals/{signal_id}',
    name: 'signal',
    title: 'A signal',
    description: 'A signal with all details.',
    mimeType,
  },
];
const known = new Map(apiTools().map((tool) => [tool.name, tool]));
const tools = [...known.values()].map(
  ({ name, operation, inputSchema, outputSchema }): Tool => ({
    name,
    title: operation.summary,
    description: operation.description,
    inputSchema: inputSchema as Tool['inputSchema'],
    outputSchema: outputSchema as NonNullable<Tool['outputSchema']>,
    annotations: {
      readOnlyHint: operation.method === 'get',
      destructiveHint: false,
      openWorldHint: false,
    },
  }),
);

const instructions =
  'Token signals with tracked performance. Lists have pages: pass `meta.next_cursor` on as `cursor`. Where a limit is reached, ' +
  'the error says after how many seconds (`retry_after`) to try again.';

/** Whether a key with these scopes may be used for a tool; null for all. */
function isUsable(scopes: readonly ApiScope[] | null, tool: string): boolean {
  const scope = known.get(tool)?.operation.scope;
  return scopes === null || (scope !== undefined && scopes.includes(scope));
}

/** What a message asks of the API; undefined for other messages, and for unknown tools and resources. */
export function callOf({ method, params }: Readonly<Record<string, unknown>>): McpCall | undefined {
  const { name, uri, arguments: given } = membersOf(params);
  if (method === 'tools/call') return callTo(name, membersOf(given));
  if (method !== 'resources/read') return undefined;
  if (uri === eventsUri) return callTo('list_events', { order: 'desc' });
  const id = typeof uri === 'string' ? signalUri.exec(uri)?.[1] : undefined;
  return id === undefined ? undefined : callTo('get_signal', { signal_id: id });
}

function callTo(name: unknown, given: McpCall['given']): McpCall | undefined {
  const tool = typeof name === 'string' ? known.get(name) : undefined;
  return tool && { tool, given };
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** How a message is answered. */
type Answering = {
  /** Sends the request of the message's call; undefined where the message has none. */
  readonly ask: (() => Promise<ApiAnswer>) | undefined;
  /** What the client's key may be used for; null for everything. */
  readonly scopes: readonly ApiScope[] | null;
  readonly onError: (error: Error) => void;
};

/** Answers one message of a client, of the protocol of 2026-07-28 or an earlier one. Nothing is kept for the next message. */
export function answerMessage(request: Request, message: unknown, answering: Answering): Promise<Response> {
  // No streams of changes: they would have to know what happens at other replicas.
  const handler = createMcpHandler(() => serverFor(answering), {
    maxSubscriptions: 0,
    onerror: answering.onError,
  });
  return handler.fetch(request, { parsedBody: message });
}

function serverFor({ ask, scopes }: Answering): Server {
  const server = new Server(
    { name: 'sigcast', title: 'Sigcast', version: contractsVersion },
    { capabilities: { tools: {}, resources: {} }, instructions },
  );
  server.setRequestHandler('tools/list', () => ({
    tools: tools.filter(({ name }) => isUsable(scopes, name)),
  }));
  server.setRequestHandler('tools/call', async ({ params }) => {
    if (ask === undefined) {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${params.name}`);
    }
    const { text, body } = await ask();
    return body.success
      ? { content: [{ type: 'text', text }], structuredContent: body }
      : { content: [{ type: 'text', text: JSON.stringify(body.error) }], isError: true };
  });
  server.setRequestHandler('resources/list', () => ({
    resources: isUsable(scopes, 'list_events') ? resources : [],
  }));
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: isUsable(scopes, 'get_signal') ? resourceTemplates : [],
  }));
  server.setRequestHandler('resources/read', async ({ params: { uri } }): Promise<ReadResourceResult> => {
    if (ask === undefined) throw new ResourceNotFoundError(uri);
    const { text, body } = await ask();
    if (body.success) return { contents: [{ uri, mimeType, text }] };
    if (body.error.code === 'NOT_FOUND') throw new ResourceNotFoundError(uri, body.error.message);
    throw new ProtocolError(ProtocolErrorCode.InternalError, body.error.message, body.error);
  });
  return server;
}
