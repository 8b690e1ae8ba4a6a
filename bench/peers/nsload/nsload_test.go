package main

import (
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	"math"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestOpaqueIsPatchedInPlace(t *testing.T) {
	for _, bin := range []bool{false, true} {
		r := newRequest(codeGetRoute, 407, []kv{{"topic", "T"}}, []byte("body"), bin)
		f := r.appendTo([]byte("x"), opaqueBase+123)[1:]
		if n, err := frameSize(f); err != nil || n != len(f) {
			t.Fatalf("size %d of %d, %v", n, len(f), err)
		}
		code, op, body, err := splitResponse(f)
		if err != nil || code != codeGetRoute || op != opaqueBase+123 || string(body) != "body" {
			t.Fatalf("binary %v: %d %d %q %v", bin, code, op, body, err)
		}
	}
}

func TestRegistrationLengthAndChecksum(t *testing.T) {
	tp := newTopology(4, 6, 2, 8, 407)
	bd := tp.registerBody(1, 3, false)
	r := tp.registerHead(1, bd, false)
	whole := append(append(append([]byte(nil), r.frame...), bd.head...), bd.tail...)
	if got := int(binary.BigEndian.Uint32(whole)); got != len(whole)-4 {
		t.Fatalf("length field %d, frame %d", got, len(whole))
	}
	if c := crc32.ChecksumIEEE(append(append([]byte(nil), bd.head...), bd.tail...)) & 0x7fffffff; c != bd.crc {
		t.Fatalf("crc %d, want %d", bd.crc, c)
	}
}

func TestChangedRegistrationChangesOneTopic(t *testing.T) {
	tp := newTopology(2, 6, 2, 8, 479)
	before, after := decode(t, tp.registerBody(1, 1, false)), decode(t, tp.registerBody(1, 2, false))
	for name, config := range after.Wrapper.TopicConfigTable {
		same := string(config) == string(before.Wrapper.TopicConfigTable[name])
		if same == (name == brokerName(1)) {
			t.Errorf("%s: %s", name, config)
		}
	}
	if a, b := tp.registerBody(1, 1, true), tp.registerBody(1, 3, true); len(a.head) == 0 || a.crc == b.crc {
		t.Error("a compressed body without its version")
	}
}

// decoded is what the tests look at in a JSON registration body.
type decoded struct {
	Wrapper struct {
		DataVersion        struct{ Counter int64 }
		MappingDataVersion *struct{ Timestamp int64 }
		TopicConfigTable   map[string]json.RawMessage
	} `json:"topicConfigSerializeWrapper"`
}

// decode reads a body and checks the checksum that goes with it.
func decode(t *testing.T, bd body) (d decoded) {
	t.Helper()
	whole := append(append([]byte(nil), bd.head...), bd.tail...)
	if err := json.Unmarshal(whole, &d); err != nil {
		t.Fatalf("%v in %.200s", err, whole)
	}
	if c := crc32.ChecksumIEEE(whole) & 0x7fffffff; c != bd.crc {
		t.Fatalf("crc %d, want %d", bd.crc, c)
	}
	return d
}

func TestEachSendHasItsOwnStamp(t *testing.T) {
	tp := newTopology(1, 5, 1, 8, 479)
	tp.stamped = true
	f := newFleet(tp, &options{})
	p := f.prepare(0)
	seen := map[uint32]bool{p.bd.crc: true}
	last := decode(t, p.bd).Wrapper.MappingDataVersion.Timestamp
	if d := time.Now().UnixMilli() - last; d < 0 || d > 10000 {
		t.Fatalf("the stamp is %d ms old", d)
	}
	for range 20 {
		f.restamp(0, &p)
		d := decode(t, p.bd)
		if now := d.Wrapper.MappingDataVersion.Timestamp; now <= last || seen[p.bd.crc] || d.Wrapper.DataVersion.Counter != 0 {
			t.Fatalf("stamp %d after %d, crc %d, data version %d", now, last, p.bd.crc, d.Wrapper.DataVersion.Counter)
		}
		last, seen[p.bd.crc] = d.Wrapper.MappingDataVersion.Timestamp, true
		if !strings.Contains(string(p.head.frame), `"bodyCrc32":"`+itoa(int(p.bd.crc))+`"`) {
			t.Fatalf("header %q has not the checksum %d", p.head.frame, p.bd.crc)
		}
		if got := int(binary.BigEndian.Uint32(p.head.frame)); got != p.size()-4 {
			t.Fatalf("length field %d, frame %d", got, p.size())
		}
	}
}

func TestBodiesThatKeepTheirBytes(t *testing.T) {
	for name, c := range map[string]struct {
		version           int
		stamped, compress bool
	}{"stamps off": {479, false, false}, "4.x": {407, false, false}, "compressed": {479, true, true}} {
		tp := newTopology(1, 5, 1, 8, c.version)
		tp.stamped = c.stamped
		f := newFleet(tp, &options{compress: c.compress})
		p := f.prepare(0)
		first := p.bd.crc
		f.restamp(0, &p)
		if p.bd.crc != first || f.prepare(0).bd.crc != first {
			t.Errorf("%s: the body changed", name)
		}
		if !c.compress && (decode(t, p.bd).Wrapper.MappingDataVersion != nil) != (c.version >= versionV5) {
			t.Errorf("%s: mappingDataVersion", name)
		}
	}
}

func TestStampsNeverRepeat(t *testing.T) {
	tp := newTopology(1, 1, 1, 8, 479)
	var mu sync.Mutex
	seen := map[int64]bool{}
	var wg sync.WaitGroup
	for range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range 500 {
				s := tp.nextStamp()
				mu.Lock()
				seen[s] = true
				mu.Unlock()
			}
		}()
	}
	wg.Wait()
	if len(seen) != 2000 {
		t.Fatalf("%d different stamps of 2000", len(seen))
	}
}

func TestSplitRegistration(t *testing.T) {
	for topics, want := range map[int][]int{11: {5, 5, 3}, 8: {5, 5, 0}, 1: {3}} {
		tp := newTopology(1, topics, 1, 8, 479)
		tp.stamped = true
		seen := map[string]bool{}
		parts := tp.splitBodies(0, 7, 5)
		if len(parts) != len(want) {
			t.Fatalf("%d parts of %d topics", len(parts), topics)
		}
		for i, bd := range parts {
			d := decode(t, bd)
			if len(d.Wrapper.TopicConfigTable) != want[i] || d.Wrapper.DataVersion.Counter != int64(7+i) {
				t.Fatalf("part %d has %d topics and version %d", i, len(d.Wrapper.TopicConfigTable), d.Wrapper.DataVersion.Counter)
			}
			for name := range d.Wrapper.TopicConfigTable {
				seen[name] = true
			}
		}
		if len(seen) != topics+2 {
			t.Fatalf("%d different topics, want %d", len(seen), topics+2)
		}
	}
}

func TestHundredThousandTopicsFitOneFrameOf4x(t *testing.T) {
	for version, fits := range map[int]bool{407: true, 479: false} {
		tp := newTopology(1, 100000, 1, 8, version)
		bd := tp.registerBody(0, 1, false)
		p := prepared{tp.registerHead(0, bd, false), bd}
		if (p.size() <= frameLimit) != fits {
			t.Errorf("version %d: a frame of %d bytes", version, p.size())
		}
	}
}

// TestStallShowsInTheProbes has a server hold up everything for a while at each
// registration of the large broker, whose frames alone are long.
func TestStallShowsInTheProbes(t *testing.T) {
	const stall = 80 * time.Millisecond
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	tp := newTopology(1, 50, 1, 8, 407)
	resp := newRequest(rcSuccess, 407, nil, tp.routeBody(), false)
	var one sync.Mutex
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				(&routeConn{c: c}).frames(func(f []byte, _ int64) error {
					one.Lock()
					defer one.Unlock()
					code, op, _, err := splitResponse(f)
					if err != nil {
						return err
					}
					if code == codeRegisterBroker && len(f) > 4000 {
						time.Sleep(stall)
					}
					_, err = c.Write(resp.appendTo(nil, op))
					return err
				}, func() (bool, error) { return false, nil })
			}()
		}
	}()
	for form, o := range map[string]options{"plain": {rounds: 1}, "split": {rounds: 1, split: 40}} {
		o.addr, o.probe = l.Addr().String(), 0.001
		r, err := runStall(tp, &o)
		if err != nil || r.Errors != 0 || r.Form != form || !r.Fixed {
			t.Fatalf("%+v, %v", r, err)
		}
		for name, ph := range map[string]*stallPhase{"first": r.First, "changed": r.Changed} {
			if ms := ph.ProbeUs.Max / 1e3; ms < 60 || ms > 1000 || ph.TookMs < 80 || ph.Probes < 20 {
				t.Errorf("%s %s: worst probe of %d %.1f ms, took %.1f ms", form, name, ph.Probes, ms, ph.TookMs)
			}
		}
		if r.Idle.ProbeUs.P50 > 20e3 || r.Leave == nil || (r.Unchanged == nil) != (form == "split") {
			t.Errorf("%s: idle %+v, unchanged %v", form, r.Idle, r.Unchanged)
		}
	}
	if _, err := runStall(newTopology(1, 1, 1, 8, 407), &options{addr: l.Addr().String(), rounds: 1, probe: 0.001, split: 1}); err == nil {
		t.Error("parts of one topic passed")
	}
}

func TestProcessClock(t *testing.T) {
	s, ok := clockOf(os.Getpid())
	if !ok || math.Abs(s-selfCPU()) > 0.1 {
		t.Fatalf("%v s, %v; want about %v", s, ok, selfCPU())
	}
}

func TestEveryTopicHasItsBrokers(t *testing.T) {
	tp := newTopology(5, 12, 3, 8, 407)
	for i := 0; i < tp.topics; i++ {
		n := 0
		for b := 0; b < tp.brokers; b++ {
			if tp.onBroker(i, b) {
				n++
			}
		}
		if n != 3 {
			t.Fatalf("topic %d on %d brokers", i, n)
		}
	}
}

func TestCheckRoute(t *testing.T) {
	tp := newTopology(2, 1, 2, 8, 407)
	good := tp.routeBody()
	if err := tp.checkRoute(0, good); err != nil {
		t.Fatal(err)
	}
	odd := `{"brokerDatas":[{"brokerAddrs":{0:"127.0.0.1:20000"},"brokerName":"broker-0000","cluster":"bench-cluster"},` +
		`{"brokerAddrs":{0:"127.0.0.1:20001"},"brokerName":"broker-0001","cluster":"bench-cluster"}],"queueDatas":[` +
		`{"brokerName":"broker-0001","perm":6,"readQueueNums":8,"writeQueueNums":8},{"brokerName":"broker-0000","perm":6,"readQueueNums":8,"writeQueueNums":8}]}`
	if err := tp.checkRoute(0, []byte(odd)); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{
		`{"brokerDatas":[],"queueDatas":[]}`,
		`{`,
		odd[:len(odd)-len(`8}]}`)] + `9}]}`,
	} {
		if tp.checkRoute(0, []byte(bad)) == nil {
			t.Fatalf("%s passed", bad)
		}
	}
	if newTopology(1, 1, 1, 8, 407).checkRoute(0, good) == nil {
		t.Fatal("a broker too many passed")
	}
}

func TestHistogram(t *testing.T) {
	var h hist
	for i := int64(1); i <= 100000; i++ {
		h.add(i)
	}
	for q, want := range map[float64]float64{.5: 50000, .99: 99000, .999: 99900} {
		if got := float64(h.quantile(q)); got < want*.98 || got > want*1.02 {
			t.Errorf("quantile %v is %v, want about %v", q, got, want)
		}
	}
}

func TestBumps(t *testing.T) {
	n := 0
	for r := 0; r < 20; r++ {
		if bumps(r, .25) {
			n++
		}
	}
	if n != 5 {
		t.Fatalf("%d of 20 rounds changed", n)
	}
}

func TestPacedSendsWhatIsReadyBeforeItWaits(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	o := &options{addr: l.Addr().String(), version: 407, conns: 1, window: 4, check: 256, seconds: 0.2, rate: 1e6}
	l.Close()
	tp := newTopology(1, 1, 1, 8, 407)
	go serveLimit(tp, o)
	for i := 0; i < 100; i++ {
		if c, err := net.Dial("tcp", o.addr); err == nil {
			c.Close()
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	// More requests are due at once than may be under way.
	r, err := runRoutes(tp, o)
	if err != nil || r.Errors > 0 || r.Requests < 10 {
		t.Fatalf("%d requests, %d errors %v, %v", r.Requests, r.Errors, r.ErrorText, err)
	}
}
