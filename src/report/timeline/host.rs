//! Knows where a repository's commits can be read: on the host of its remote.

/// A part of the names of hosts, and what comes between the address of a repository and that of a
/// commit.
const HOSTS: &[(&str, &str)] = &[
    ("github", "/commit/"),
    ("gitlab", "/-/commit/"),
    ("bitbucket.org", "/commits/"),
    ("codeberg", "/commit/"),
    ("gitea", "/commit/"),
    ("forgejo", "/commit/"),
    ("git.sr.ht", "/commit/"),
    ("dev.azure.com", "/commit/"),
];

/// The pages of a repository on its host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Host {
    /// `github.com`.
    pub name: String,
    base: String,
    infix: &'static str,
}

impl Host {
    /// The host of a remote, if its kind is known. Names and passwords in the address are dropped,
    /// and so is a port: that of SSH is not that of the pages.
    pub fn of(remote: &str) -> Option<Self> {
        let (authority, path) = match remote.split_once("://") {
            Some(("https" | "http" | "ssh" | "git" | "git+ssh", rest)) => rest.split_once('/')?,
            Some(_) => return None,
            // As `scp` writes it; a folder has a slash before its colon, and a drive of Windows has
            // no point.
            None => remote.split_once(':').filter(|(authority, _)| !authority.contains('/'))?,
        };
        let name = authority.rsplit_once('@').map_or(authority, |(_, name)| name);
        let name = name.split_once(':').map_or(name, |(name, _)| name).to_ascii_lowercase();
        let path = path.trim_matches('/');
        let path = path.strip_suffix(".git").unwrap_or(path);
        let is_name = name.contains('.')
            && name.bytes().all(|c| c.is_ascii_alphanumeric() || b".-".contains(&c));
        let is_path = path.contains('/')
            && path.bytes().all(|c| c.is_ascii_alphanumeric() || b"/._~-".contains(&c))
            && path.split('/').all(|part| part != "..");
        if !is_name || !is_path {
            return None;
        }
        let (_, infix) = HOSTS.iter().find(|(part, _)| name.contains(part))?;
        Some(Self { base: format!("https://{name}/{path}"), name, infix })
    }

    pub fn commit(&self, id: &str) -> String {
        format!("{}{}{id}", self.base, self.infix)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_of_any_kind_leads_to_the_pages_of_its_host() {
        let remotes = [
            ("https://github.com/a/b.git", "github.com/a/b/commit/1a2b"),
            ("git@github.com:a/b.git", "github.com/a/b/commit/1a2b"),
            ("ssh://git@gitlab.org:2222/a/b/c.git", "gitlab.org/a/b/c/-/commit/1a2b"),
            ("https://name:secret@bitbucket.org/a/b/", "bitbucket.org/a/b/commits/1a2b"),
            ("git@git.sr.ht:~a/b", "git.sr.ht/~a/b/commit/1a2b"),
        ];
        for (remote, page) in remotes {
            let found = Host::of(remote).map(|host| host.commit("1a2b"));
            assert_eq!(found, Some(format!("https://{page}")), "{remote}");
        }
    }

    #[test]
    fn what_is_no_host_or_could_mean_something_to_a_page_is_no_link() {
        for remote in [
            "",
            "..",
            "/srv/github.com/a/b",
            "file:///github.com/a/b",
            "C:\\github.com\\a",
            "./a:b",
            "javascript://github.com/a/b",
            "https://example.org/a/b",
            "https://github.com/a",
            "https://github.com/a/b?x=\"><script>",
            "git@github.com:a/../b",
            "https://github.com\"onclick=x/a/b",
            "https://github.com/a/b c",
        ] {
            assert_eq!(Host::of(remote), None, "{remote}");
        }
    }
}
