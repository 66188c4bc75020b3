"""S1, a CUBIC flow into a buffer of 1000 packets: the packets that wait, over time. With ns-3."""

import matplotlib
from ns import ns

matplotlib.use("svg")
from matplotlib import pyplot


def default(name, value):
    ns.Config.SetDefault(name, value)


default("ns3::TcpL4Protocol::SocketType", ns.TypeIdValue(ns.TcpCubic.GetTypeId()))
default("ns3::TcpL4Protocol::RecoveryType", ns.TypeIdValue(ns.TcpPrrRecovery.GetTypeId()))
default("ns3::TcpSocket::SegmentSize", ns.UintegerValue(1448))
default("ns3::TcpSocket::InitialCwnd", ns.UintegerValue(10))
default("ns3::TcpSocket::SndBufSize", ns.UintegerValue(4_000_000))
default("ns3::TcpSocket::RcvBufSize", ns.UintegerValue(4_000_000))
default("ns3::TcpSocketBase::MinRto", ns.TimeValue(ns.MilliSeconds(200)))

nodes = ns.NodeContainer()
nodes.Create(4)
ns.InternetStackHelper().Install(nodes)
addresses = ns.Ipv4AddressHelper()


def connect(index, rate, delay, limit, device):
    link = ns.PointToPointHelper()
    link.SetDeviceAttribute("DataRate", ns.StringValue(rate))
    link.SetChannelAttribute("Delay", ns.StringValue(delay))
    link.SetQueue("ns3::DropTailQueue", "MaxSize", ns.StringValue(device))
    devices = link.Install(nodes.Get(index), nodes.Get(index + 1))
    control = ns.TrafficControlHelper()
    control.SetRootQueueDisc("ns3::FifoQueueDisc", "MaxSize", ns.StringValue(limit))
    queues = control.Install(devices)
    addresses.SetBase(ns.Ipv4Address(f"10.0.{index}.0"), ns.Ipv4Mask("255.255.255.0"))
    return queues.Get(0), addresses.Assign(devices).GetAddress(1)


connect(0, "1Gbps", "500us", "100000p", "1p")
queue, _ = connect(1, "10Mbps", "24ms", "1000p", "1p")
_, server = connect(2, "1Gbps", "500us", "100000p", "1p")
ns.Ipv4GlobalRoutingHelper.PopulateRoutingTables()

sink = ns.PacketSinkHelper(
    "ns3::TcpSocketFactory", ns.InetSocketAddress(ns.Ipv4Address.GetAny(), 9).ConvertTo()
)
sink.Install(nodes.Get(3))
bulk = ns.BulkSendHelper("ns3::TcpSocketFactory", ns.InetSocketAddress(server, 9).ConvertTo())
bulk.SetAttribute("SendSize", ns.UintegerValue(1448))
bulk.Install(nodes.Get(0))

times, waiting = [], []
for step in range(600):
    ns.Simulator.Stop(ns.MilliSeconds(100))
    ns.Simulator.Run()
    times.append((step + 1) / 10)
    waiting.append(queue.GetNPackets())
ns.Simulator.Destroy()
pyplot.plot(times, waiting)
pyplot.xlabel("time in seconds")
pyplot.ylabel("packets that wait")
pyplot.savefig("s1-ns3.svg")
