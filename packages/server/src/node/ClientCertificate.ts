/**
 * Who a client certificate says is calling. The connection has checked by then that an authority of the server's own
 * signed it.
 */
import type { X509Certificate } from "node:crypto"
import type { Socket } from "node:net"
import type { TLSSocket } from "node:tls"
import { refusal, type Refusal } from "../envelope/Refusal.ts"
import type { CertificatePrincipal } from "../Principal.ts"

/** Who is at the other end of a connection. */
export type Certify = (socket: Socket) => CertificatePrincipal | Refusal

const nameless = refusal("certificate", "The client certificate has no subject, by which callers are told apart")

/** The subject in one line; it stays the same when the certificate is renewed. Node has escaped commas within its parts. */
const subjectOf = ({ subject }: X509Certificate): string => (subject ?? "").split("\n").join(",")

const isEncrypted = (socket: Socket): socket is TLSSocket => "getPeerX509Certificate" in socket

/** @param scopes what callers may do, by their subjects */
export const certifying = (scopes: { readonly [subject: string]: ReadonlyArray<string> }): Certify => {
  const known = new WeakMap<Socket, CertificatePrincipal>()
  return (socket) => {
    const before = known.get(socket)
    if (before !== undefined) return before
    const certificate = isEncrypted(socket) && socket.authorized ? socket.getPeerX509Certificate() : undefined
    const subject = certificate === undefined ? "" : subjectOf(certificate)
    if (certificate === undefined || subject === "") return nameless
    const principal: CertificatePrincipal = {
      via: "certificate",
      id: subject,
      subject,
      fingerprint: certificate.fingerprint256.replaceAll(":", "").toLowerCase(),
      scopes: Object.hasOwn(scopes, subject) ? (scopes[subject] ?? []) : []
    }
    known.set(socket, principal)
    return principal
  }
}
